import type { Command } from 'commander';

/** One verb, or one member of a group, with what may follow it. */
export interface VerbNode {
  /** The words after `sub`, as in `allow add`. Empty for `sub` itself. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagNode[];
  readonly children: readonly VerbNode[];
}

/** One flag. */
export interface FlagNode {
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
}

/** The verbs and flags of a command line, without those that this version does not have. */
export function treeOf(command: Command, path = ''): VerbNode {
  const help = command.createHelp();
  return {
    path,
    name: command.name(),
    summary: command.summary(),
    flags: help
      .visibleOptions(command)
      .flatMap((option) =>
        option.long === undefined || option.long === null
          ? []
          : [{ long: option.long, description: option.description, takesValue: option.required }],
      ),
    children: help
      .visibleCommands(command)
      .map((child) => treeOf(child, path === '' ? child.name() : `${path} ${child.name()}`)),
  };
}

/** The node and everything below it. */
export function flatten(node: VerbNode): readonly VerbNode[] {
  return [node, ...node.children.flatMap(flatten)];
}
