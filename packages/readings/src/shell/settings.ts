import type { SimpleCommand } from './command.js';

/** Programs that print settings for a shell, and the words by which they do: `eval "$(ssh-agent -s)"`. */
const SETTINGS: ReadonlyMap<string, RegExp> = new Map([
  ['direnv', /^(?:hook|export) \w+$/],
  ['ssh-agent', /^(?:-[sck]|)$/],
  ['brew', /^shellenv(?: \w+)?$/],
  ...['pyenv', 'rbenv', 'nodenv', 'jenv', 'goenv', 'starship', 'zoxide', 'atuin', 'pyenv-virtualenv'].map(
    (name): [string, RegExp] => [name, /^(?:virtualenv-)?init\b[\w -]*$/],
  ),
  ['fnm', /^env\b[\w -]*$/],
  ['mise', /^(?:activate|hook-env|env)\b[\w -]*$/],
  ['dircolors', /^(?:-[bc]|--sh|)$/],
  ['conda', /^shell\.\w+ hook$/],
  ['opam', /^env$/],
  ['fzf', /^--(?:bash|zsh)$/],
  ['thefuck', /^--alias$/],
  ['lesspipe', /^$/],
  ['resize', /^$/],
  ['luarocks', /^path$/],
  ['minikube', /^(?:-p \w+ )?(?:docker-env|podman-env)$/],
  ['docker-machine', /^env [\w-]+$/],
  ['register-python-argcomplete', /^[\w-]+$/],
  ...[
    'kubectl',
    'helm',
    'gh',
    'npm',
    'pnpm',
    'docker',
    'pip',
    'poetry',
    'rustup',
    'deno',
    'kind',
    'argocd',
  ].map((name): [string, RegExp] => [name, /^completions?\b[\w -]*$/]),
]);
/** The folders of programs that came with a package. */
const INSTALLED = /^(?:\/(?:usr|opt\/homebrew|home\/linuxbrew\/\.linuxbrew)(?:\/local)?\/bin\/)?[\w-]+$/;

/** Whether a command prints settings for a shell, and nothing that is not its own. */
export function printsSettings({ program, words, hasOwnEnvironment, stdin }: SimpleCommand): boolean {
  if (hasOwnEnvironment || stdin !== undefined || !INSTALLED.test(words[0] ?? '')) return false;
  return SETTINGS.get(program)?.test(words.slice(1).join(' ')) === true;
}
