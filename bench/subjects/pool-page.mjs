/** The least that shows so many rows: a pool of elements whose texts are set anew as it scrolls. */
const ROW = 28;

export function poolPage(rows) {
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; font: 12px monospace; background: #0f1115; color: #eee }
#host { height: 100vh; overflow-y: scroll; position: relative; contain: strict }
.row { position: absolute; left: 0; right: 0; height: ${ROW}px; display: grid; contain: strict;
  grid-template-columns: 70px 60px 90px 260px 1fr 70px 300px; will-change: transform }
.row span { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; line-height: ${ROW}px }
</style><div id="host" class="list"><div id="space"></div></div><script>(${pool.toString()})(${rows}, ${ROW})</script>`;
}

/** It runs in the page. */
function pool(count, height) {
  const host = document.getElementById('host');
  const space = document.getElementById('space');
  space.style.height = `${count * height}px`;
  const rowOf = (n) => [
    '20:21:32',
    'XZ0024',
    n % 2 === 0 ? 'allow' : 'HINT',
    `filesystem.read_${n % 97}`,
    `/srv/app/src/part-${n}/file.ts`,
    `${n % 50} ms`,
    n % 2 === 0 ? '' : 'this environment is read-only',
  ];
  const elements = Array.from({ length: Math.ceil(innerHeight / height) + 8 }, () => {
    const element = document.createElement('div');
    element.className = 'row';
    const cells = rowOf(0).map(() => element.appendChild(document.createElement('span')));
    space.append(element);
    return { element, cells, shows: -1 };
  });
  const paint = () => {
    const first = Math.max(0, Math.floor(host.scrollTop / height) - 4);
    for (let n = first; n < Math.min(count, first + elements.length); n += 1) {
      const one = elements[n % elements.length];
      if (one.shows === n) continue;
      one.shows = n;
      one.element.style.transform = `translateY(${n * height}px)`;
      const texts = rowOf(n);
      for (const [at, cell] of one.cells.entries()) cell.textContent = texts[at];
    }
  };
  host.addEventListener('scroll', () => requestAnimationFrame(paint), { passive: true });
  paint();
}
