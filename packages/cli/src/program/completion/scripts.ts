import { shellQuoted } from './shell-word.js';
import { flatten, type VerbNode } from './tree.js';

/** Completion for bash: `eval "$(sub completion bash)"`. */
export function bashScript(tree: VerbNode): string {
  const cases = flatten(tree)
    .map((node) => `    ${shellQuoted(node.path)}) words=${shellQuoted(wordsOf(node).join(' '))} ;;`)
    .join('\n');
  return `# completion of sub for bash
_sub() {
  local current="\${COMP_WORDS[COMP_CWORD]}" verb="" word words=""
  local index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ $word == -- ]] && { compopt -o default; COMPREPLY=(); return; }
    case "$verb $word" in
${groupCases(tree, '      ')}
    esac
  done
  case "$verb" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default
}
complete -F _sub sub
`;
}

/** Completion for zsh: `eval "$(sub completion zsh)"`. */
export function zshScript(tree: VerbNode): string {
  const cases = flatten(tree)
    .map((node) => {
      const entries = [
        ...node.children.map((child) => `${child.name}:${child.summary}`),
        ...node.flags.map((flag) => `${flag.long}:${flag.description}`),
      ];
      return `    ${shellQuoted(node.path)}) words=(${entries.map((entry) => shellQuoted(entry)).join(' ')}) ;;`;
    })
    .join('\n');
  return `#compdef sub
_sub() {
  local verb="" word
  local -a words_before words
  words_before=("\${(@)words[2,CURRENT-1]}")
  for word in $words_before; do
    [[ $word == -- ]] && { _normal -p sub; return; }
    case "$verb $word" in
${groupCases(tree, '      ')}
    esac
  done
  words=()
  case "$verb" in
${cases}
  esac
  (( $#words )) && _describe 'sub' words || _files
}
compdef _sub sub
`;
}

/** Completion for fish: `sub completion fish | source`. */
export function fishScript(tree: VerbNode): string {
  const lines = flatten(tree).flatMap((node) => {
    const condition = fishCondition(tree, node);
    return [
      ...node.children.map(
        (child) =>
          `complete -c sub -f -n ${condition} -a ${shellQuoted(child.name)} -d ${shellQuoted(child.summary)}`,
      ),
      ...node.flags.map(
        (flag) =>
          `complete -c sub -n ${condition} -l ${flag.long.slice(2)}${flag.takesValue ? ' -r' : ''} -d ${shellQuoted(flag.description)}`,
      ),
    ];
  });
  return `# completion of sub for fish\n${lines.join('\n')}\n`;
}

function fishCondition(tree: VerbNode, node: VerbNode): string {
  if (node.path === '') return '__fish_use_subcommand';
  const [verb = '', member] = node.path.split(' ');
  if (member !== undefined) {
    return shellQuoted(`__fish_seen_subcommand_from ${verb}; and __fish_seen_subcommand_from ${member}`);
  }
  const members = tree.children.find((child) => child.name === verb)?.children ?? [];
  const none = members.map((child) => child.name).join(' ');
  const alone = none === '' ? '' : `; and not __fish_seen_subcommand_from ${none}`;
  return shellQuoted(`__fish_seen_subcommand_from ${verb}${alone}`);
}

/** Shell cases that follow the words down the tree: `" allow") path="allow" ;;`. */
function groupCases(tree: VerbNode, indent: string): string {
  return flatten(tree)
    .filter((node) => node.path !== '')
    .map((node) => {
      const parent = node.path.slice(0, Math.max(0, node.path.length - node.name.length - 1));
      return `${indent}${shellQuoted(`${parent} ${node.name}`)}) verb=${shellQuoted(node.path)} ;;`;
    })
    .join('\n');
}

function wordsOf(node: VerbNode): readonly string[] {
  return [...node.children.map((child) => child.name), ...node.flags.map((flag) => flag.long)];
}
