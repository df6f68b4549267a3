// The npm packages that the bundles hold, as esbuild told: nobody lists them by hand.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ path: string, name: string, version: string, license: string, integrity: string }} Held */

/** Bundles whose accounts tell it, and the one package that stays outside of them. */
const ACCOUNTS = [
  'packages/cli/dist/bundle',
  'packages/cli/dist/shim-bundle',
  'packages/cli/dist/shim-bundle/away',
  'packages/daemon/dist/bundle',
  'packages/daemon/dist/bundle/page',
];

/**
 * Each package of which something is in a bundle, and the add-on, in the order of their names.
 * @param {string} root
 * @param {string} addOn its path from the root
 * @returns {Held[]}
 */
export function contents(root, addOn) {
  /** @type {Record<string, { integrity?: string }>} */
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const paths = new Set([addOn, ...ACCOUNTS.flatMap((folder) => heldBy(join(root, folder, 'meta.json')))]);
  return [...paths]
    .map((path) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
      const integrity = locked[path]?.integrity;
      if (integrity === undefined) throw new Error(`package-lock.json does not know \`${path}\``);
      return { path, name, version, license, integrity };
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** @param {string} account @returns {string[]} */
function heldBy(account) {
  /** @type {Record<string, { inputs: Record<string, { bytesInOutput: number }> }>} */
  const outputs = JSON.parse(readFileSync(account, 'utf8')).outputs;
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([input]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.slice(0, 1) ?? []);
}

/**
 * The licences of what is in the package, in one text: those that are given to others have to be told.
 * @param {string} root
 * @param {readonly Held[]} held
 * @returns {string}
 */
export function notices(root, held) {
  return held
    .map(({ path, name, version, license }) => {
      const file = readdirSync(join(root, path)).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
      const text = file === undefined ? '' : `\n${readFileSync(join(root, path, file), 'utf8').trim()}\n`;
      return `${name} ${version} (${license})\n${text}`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * The software bill of materials, in CycloneDX's form. `npm sbom` does not see into bundles.
 * @param {{ name: string, version: string, license: string }} told
 * @param {readonly Held[]} held
 * @returns {object}
 */
export function billOfMaterials(told, held) {
  const whole = component(told, 'application');
  const parts = held.map((one) => ({
    ...component(one, 'library'),
    hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.slice(7), 'base64').toString('hex') }],
  }));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: whole },
    components: parts,
    dependencies: [
      { ref: whole['bom-ref'], dependsOn: parts.map((part) => part['bom-ref']) },
      ...parts.map((part) => ({ ref: part['bom-ref'], dependsOn: [] })),
    ],
  };
}

/** @param {{ name: string, version: string, license: string }} told @param {string} type */
function component({ name, version, license }, type) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { 'bom-ref': purl, type, name, version, purl, licenses: [{ license: { id: license } }] };
}
