import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { act } from 'react';
import { Root, createRoot } from 'react-dom/client';

import { ModelChoice } from '../model/modelChoice';
import { ModelsApiFake, modelList } from '../model/models.fakes';
import { ModelViews } from './parts';

export const trans = nullTranslator.load('aiserver');
let root: Root | null = null;

/** Draw a view and use its controls as a person does. */
export async function setup(list = modelList()) {
  const api = new ModelsApiFake();
  api.list = list;
  const choice = new ModelChoice(api);
  await choice.refresh();
  api.calls = [];
  const connect = jest.fn();
  const openLocalModels = jest.fn(async () => undefined);
  const services = { choice, trans, connect, openLocalModels };
  const node = document.createElement('div');
  document.body.append(node);
  const draw = async (element: React.JSX.Element | null) => {
    root ??= createRoot(node);
    const view = <ModelViews services={services}>{element}</ModelViews>;
    await act(async () => root?.render(view));
  };
  const button = (name: RegExp) =>
    [...node.querySelectorAll('button')].find(item =>
      name.test(item.textContent ?? '')
    );
  const press = async (name: RegExp) => {
    await act(async () => button(name)?.click());
  };
  const write = async (label: RegExp, text: string) => {
    const labelNode = [...node.querySelectorAll('label')].find(item =>
      label.test(item.textContent ?? '')
    );
    const field = document.getElementById(
      labelNode?.htmlFor ?? ''
    ) as HTMLInputElement;
    const { set } = Object.getOwnPropertyDescriptor(
      HTMLInputElement.prototype,
      'value'
    )!;
    await act(async () => {
      set?.call(field, text);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    return field;
  };
  return {
    api,
    button,
    choice,
    connect,
    draw,
    node,
    press,
    services,
    write
  };
}

export async function removeView(): Promise<void> {
  await act(async () => root?.unmount());
  root = null;
  document.body.replaceChildren();
}
