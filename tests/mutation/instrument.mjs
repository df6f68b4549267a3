/**
 * The source with every mutant in it, each behind a switch: `globalThis.subMutation.on` names the one that is
 * on, and `reached` the places that were come by.
 *
 * @param {string} source
 * @param {readonly { id: number, site: number, start: number, end: number, mutated: string }[]} mutants
 */
export function instrument(source, mutants) {
  if (mutants.length === 0) return source;
  const sites = new Map(mutants.map(({ site }) => [site, mutants.filter((other) => other.site === site)]));
  // Inner sites are inside outer ones: an outer mutant holds its inner parts unmutated, since only one is on
  // at a time.
  const edits = [...sites].flatMap(([site, group]) => {
    const [{ start, end }] = group;
    const width = end - start;
    const [first, ...rest] = group.map(({ id, mutated }) => `subMutation.on===${id}?${mutated}:`);
    const open = `((subMutation.reached[${site}]=1,${first.replace('?', ')?')}${rest.join('')}(`;
    return [
      { at: start, text: open, opens: true, width },
      { at: end, text: '))', opens: false, width },
    ];
  });
  // At one place: close before open, the outer opens first and closes last.
  edits.sort(
    (a, b) =>
      a.at - b.at || Number(a.opens) - Number(b.opens) || (a.opens ? b.width - a.width : a.width - b.width),
  );
  let out = 'const subMutation=globalThis.subMutation;';
  let from = 0;
  for (const { at, text } of edits) {
    out += source.slice(from, at) + text;
    from = at;
  }
  return out + source.slice(from);
}
