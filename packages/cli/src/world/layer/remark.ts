import type { DiffTold, LayerAbout } from '@subluminal/layers';

/** The sentence at the end of a command whose changes are in a layer. */
export function layerRemark({ place }: LayerAbout, told: DiffTold): string {
  return (
    `${signsOf(told)} in layer ${place.id}, not in the project: ` +
    '`sub world diff`, `sub world commit` or `sub world discard`'
  );
}

/** A diff in one word, as `+3 ~1 -2`. */
export function signsOf({ added, modified, deleted, truncated }: DiffTold): string {
  const parts = [
    ['+', added],
    ['~', modified],
    ['-', deleted],
  ] as const;
  const signs = parts.flatMap(([sign, count]) => (count === 0 ? [] : [`${sign}${count}`])).join(' ');
  return truncated === true ? `${signs} and more`.trim() : signs;
}
