import { shellQuoted } from '@subluminal/core-types';
import { flatten, type Taken, type VerbNode } from './tree.js';

/** Asks for the values of a kind. Without a home or a gateway it says nothing. */
const ASK = 'command sub completion values';

/** Completion for bash: `eval "$(sub completion bash)"`. */
export function bashScript(tree: VerbNode): string {
  const cases = flatten(tree).map((node) => {
    const flags = node.flags.map(({ long }) => long);
    return `    ${shellQuoted(node.path)}) words=${joined(wordsOf(node))}; more=${shellQuoted(node.operands.kind ?? '')}; flags=${joined(flags)} ;;`;
  });
  const valued = valuedFlags(tree).map(
    ([place, { words, kind }]) =>
      `    ${shellQuoted(place)}) words=${joined(words)}; more=${shellQuoted(kind ?? '')} ;;`,
  );
  return `# completion of sub for bash
_sub() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local verb="" word words="" more="" flags="" value
  local index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ $word == -- ]] && { compopt -o default; return; }
    case "$verb $word" in
${groupCases(tree, '      ')}
    esac
  done
  case "$verb $previous" in
${valued.join('\n')}
    *) case "$verb" in
${cases.join('\n')}
    esac ;;
  esac
  [[ $current == -* || -z $words$more ]] && words="$words $flags"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $more && $current != -* && $previous != : ]]; then
    # No word of these is expanded: they are names that others have chosen.
    while IFS=$'\\t' read -r value word; do
      [[ $value == "$current"* ]] && COMPREPLY+=("$value")
    done < <(${ASK} "$more" 2>/dev/null)
  fi
  [[ \${#COMPREPLY[@]} -eq 0 ]] && compopt -o default
}
complete -F _sub sub
`;
}

/** Completion for zsh: `eval "$(sub completion zsh)"`. */
export function zshScript(tree: VerbNode): string {
  const listed = (entries: readonly (readonly [string, string])[]): string =>
    `(${entries.map(([name, about]) => shellQuoted(about === '' ? name : `${name}:${about}`)).join(' ')})`;
  const cases = flatten(tree).map((node) => {
    const words = [
      ...node.children.map((child) => [child.name, child.summary] as const),
      ...node.operands.words.map((word) => [word, ''] as const),
    ];
    const flags = node.flags.map(({ long, description }) => [long, description] as const);
    return `    ${shellQuoted(node.path)}) choices=${listed(words)}; more=${shellQuoted(node.operands.kind ?? '')}; flags=${listed(flags)} ;;`;
  });
  const valued = valuedFlags(tree).map(
    ([place, { words, kind }]) =>
      `    ${shellQuoted(place)}) choices=${listed(words.map((word) => [word, ''] as const))}; more=${shellQuoted(kind ?? '')} ;;`,
  );
  return `#compdef sub
_sub() {
  local verb="" word more="" line previous="\${words[CURRENT-1]}" current="\${words[CURRENT]}"
  local -a choices flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -- ]] && { _normal -p sub; return; }
    case "$verb $word" in
${groupCases(tree, '      ')}
    esac
  done
  case "$verb $previous" in
${valued.join('\n')}
    *) case "$verb" in
${cases.join('\n')}
    esac ;;
  esac
  if [[ -n $more && $current != -* ]]; then
    for line in "\${(@f)$(${ASK} $more 2>/dev/null)}"; do
      [[ -n $line ]] && choices+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    done
  fi
  [[ $current == -* || -z $more$choices ]] && choices+=($flags)
  (( $#choices )) && _describe 'sub' choices || _files
}
compdef _sub sub
`;
}

/** Completion for fish: `sub completion fish | source`. */
export function fishScript(tree: VerbNode): string {
  const lines = flatten(tree).flatMap((node) => {
    const condition = fishCondition(tree, node);
    const taken = fishValues(node.operands);
    return [
      ...node.children.map(
        (child) =>
          `complete -c sub -f -n ${condition} -a ${shellQuoted(child.name)} -d ${shellQuoted(child.summary)}`,
      ),
      ...(taken === '' || node.path === ''
        ? []
        : [`complete -c sub${node.operands.kind === 'starters' ? '' : ' -f'} -n ${condition} -a ${taken}`]),
      ...node.flags.map((flag) => {
        const values = fishValues(flag.values);
        const takes = values === '' ? (flag.takesValue ? ' -r' : '') : ` -x -a ${values}`;
        return `complete -c sub -n ${condition} -l ${flag.long.slice(2)}${takes} -d ${shellQuoted(flag.description)}`;
      }),
    ];
  });
  return `# completion of sub for fish\n${lines.join('\n')}\n`;
}

function fishValues({ words, kind }: Taken): string {
  const all = [...words, ...(kind === undefined ? [] : [`(${ASK} ${kind} 2>/dev/null)`])];
  return all.length === 0 ? '' : shellQuoted(all.join(' '));
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

/** Each flag that takes a value, behind its verb. One whose values are not known takes files. */
function valuedFlags(tree: VerbNode): readonly (readonly [string, Taken])[] {
  return flatten(tree).flatMap((node) =>
    node.flags.flatMap(({ long, takesValue, values }) =>
      takesValue ? [[`${node.path} ${long}`, values] as const] : [],
    ),
  );
}

function wordsOf(node: VerbNode): readonly string[] {
  return [...node.children.map((child) => child.name), ...node.operands.words];
}

function joined(words: readonly string[]): string {
  return shellQuoted(words.join(' '));
}
