// npm run map: draws the packages, and the folders of the core, from the imports into ARCHITECTURE.md. A
// room stands one floor above the highest that it imports from. `npm run map -- --check` fails where the
// drawing is an old one.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTree } from './map/tree.mjs';
import { circles, floors } from './map/graph.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'ARCHITECTURE.md');
const BEGIN = '<!-- map: written by `npm run map` -->\n';
const END = '<!-- end of the map -->';

const tree = readTree(root);
const drawn = draw(tree, false);
const text = readFileSync(page, 'utf8');
const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
if (from === -1 || to < from) throw new Error('ARCHITECTURE.md has no place for the map');
const next = `${text.slice(0, from)}${BEGIN}${drawn}${text.slice(to)}`;
if (process.argv.includes('--check')) process.exitCode = next === text ? 0 : 1;
else writeFileSync(page, next);
process.stdout.write(draw(tree, true));

/**
 * The page has no sizes: they change with every commit.
 * @param {import('./map/tree.d.mts').Tree} tree @param {boolean} withSizes @returns {string}
 */
function draw({ files, packages, core, folders }, withSizes) {
  const [largest] = [...folders].toSorted(([, a], [, b]) => b - a);
  const lines = [
    ...sheet('packages', packages, withSizes),
    ...sheet('folders of the core', core, withSizes),
    `circles: ${circles(files.imports).length} of files, ${circles(packages.imports).length} of packages, ` +
      `${circles(core.imports).length} of folders of the core`,
    ...(withSizes ? [`largest folder: ${largest?.[0]} (${largest?.[1]} files)`] : []),
  ];
  return `\`\`\`\n${lines.join('\n')}\n\`\`\`\n`;
}

/**
 * The rooms of one drawing, the highest floor first; with sizes, in thousands of lines.
 * @param {string} title
 * @param {import('./map/tree.d.mts').Rooms} rooms
 * @param {boolean} withSizes
 * @returns {string[]}
 */
function sheet(title, { imports, lines }, withSizes) {
  const rows = [...floors(imports)].toReversed().map(([floor, names]) => {
    const rooms = names.map((name) =>
      withSizes ? `${name} ${((lines.get(name) ?? 0) / 1000).toFixed(1)}k` : name,
    );
    return `${String(floor).padStart(3)}  ${rooms.join(withSizes ? ' · ' : ' ')}`;
  });
  return [title, ...rows];
}
