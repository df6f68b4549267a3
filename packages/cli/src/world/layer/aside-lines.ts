import { type SetAside, shown } from '@subluminal/layers';

/** Things that a commit had set aside, and could not put back, for people. */
export function asideLines(unplaced: readonly SetAside[]): readonly string[] {
  return unplaced.map(({ path, at }) => `what was \`${shown(path)}\` is kept as \`${shown(at)}\``);
}
