/** Drops the entry of a map that came first, if there are more than so many. Gives it. */
export function dropFirst<K, V>(map: Map<K, V>, most: number): V | undefined {
  if (map.size <= most) return undefined;
  const [first] = map;
  if (first === undefined) return undefined;
  map.delete(first[0]);
  return first[1];
}
