import js from '@eslint/js';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'lib/**',
      'aiserver/**',
      'ui-tests/test-results/**',
      'src/api/schema.ts',
      'src/kernel/*Code.ts'
    ]
  },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    rules: {
      complexity: ['error', 12],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_' }
      ]
    }
  },
  {
    // JupyterLab's objects in the page have no types in the tests.
    files: ['ui-tests/**/*.ts'],
    rules: { '@typescript-eslint/no-explicit-any': 'off' }
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    plugins: { 'react-hooks': hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      eqeqeq: 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: false }
      ],
      curly: 'error',
      'no-restricted-globals': [
        'error',
        {
          name: 'fetch',
          message: 'Use ServerConnection.makeRequest (src/api/request.ts).'
        },
        {
          name: 'EventSource',
          message: 'It can neither POST nor send the XSRF header.'
        }
      ],
      '@typescript-eslint/no-namespace': 'off'
    }
  }
);
