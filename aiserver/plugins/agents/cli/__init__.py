"""The commands ``jupyter aiserver mcp`` and ``jupyter aiserver agents …``."""

# The agents by their names on the command line, which are those of their programs.
LABELS = {
    "claude": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "opencode": "opencode",
    "goose": "Goose",
}
