const CONTEXT = 3;

/**
 * The difference of two texts as one hunk of a unified diff: what lies between their first and their last
 * difference. Empty where they are the same.
 */
export function unifiedDiff(before: string, after: string, name: string): readonly string[] {
  if (before === after) return [];
  const old = linesOf(before);
  const fresh = linesOf(after);
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const from = Math.max(0, head - CONTEXT);
  const oldEnd = Math.min(old.length, old.length - tail + CONTEXT);
  const freshEnd = Math.min(fresh.length, fresh.length - tail + CONTEXT);
  return [
    `--- ${name}`,
    `+++ ${name}`,
    `@@ -${range(from, oldEnd)} +${range(from, freshEnd)} @@`,
    ...marked(' ', old.slice(from, head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', fresh.slice(head, fresh.length - tail)),
    ...marked(' ', old.slice(old.length - tail, oldEnd)),
  ];
}

/** Lines with the characters that end them, so that a last one without is another line. */
function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

function range(from: number, to: number): string {
  const count = to - from;
  return `${count === 0 ? from : from + 1},${count}`;
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n')
      ? [`${mark}${line.replace(/\r?\n$/, '')}`]
      : [`${mark}${line}`, '\\ No newline at end of file'],
  );
}
