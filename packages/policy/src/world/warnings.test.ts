import { describe, expect, it } from 'vitest';
import { compilePolicy, type CompileOptions } from '../compile.js';

const HEAD =
  'policy_id: t\nversion: "1"\nmode: control\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n';
const around = {
  isListed: (host: string): boolean => host === 'a.example',
  home: '/home/u',
  gatewayHome: '/home/u/.subluminal',
};

const warned = (world: string, options: CompileOptions): readonly string[] => {
  const result = compilePolicy(`${HEAD}world: ${world}\n`, options);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.warnings.map(({ code, path, message }) => `${code} ${path} ${message}`);
};

describe('the settings of worlds on this machine', () => {
  it('are warned of for a host that no entry of the allowlist has', () => {
    const world =
      '{ net: { allowed: [a.example] }, profiles: [{ name: p, server: [s], net: { allowed: [b.example] } }] }';
    expect(warned(world, { around })).toEqual([
      'host_not_listed world.profiles[0].net.allowed `b.example` is on no entry of the allowlist, so `enforce` refuses it to every world',
    ]);
    expect(warned(world, {})).toEqual([]);
    expect(warned(world, { around: { ...around, isListed: undefined } })).toEqual([]);
  });

  it.each([
    ['the gateway’s home', '~/.subluminal'],
    ['a folder in it', '~/.subluminal/keys'],
    ['a folder that holds it', '/home/u'],
  ])('are warned of for a path that shows %s', (_name, path) => {
    expect(warned(`{ fs: { read: ["${path}"] } }`, { around })[0]).toMatch(
      /^world_shows_gateway world\.fs\.read .* shows the gateway’s home/,
    );
  });

  it('are not warned of for a path beside it', () => {
    expect(warned('{ fs: { read: ["~/.sub"], write: ["~/.subluminal2", $PROJECT/x] } }', { around })).toEqual(
      [],
    );
  });
});

it('a project is told that it shows worlds nothing more', () => {
  expect(
    warned('{ fs: { hide: [a] }, profiles: [{ name: p, server: [s], fs: { read: [/x], write: [/y] } }] }', {
      filename: '/p/.subluminal.yaml',
    }),
  ).toEqual([
    'project_only_narrows world.profiles[0].fs.read a project shows a world nothing more',
    'project_only_narrows world.profiles[0].fs.write a project shows a world nothing more',
  ]);
});

describe('patterns for worlds that fit nothing', () => {
  it('are warned of: hidden, written at once, a program by its path', () => {
    const world =
      '{ fs: { ask: [$PROJECT/keys/a, "$PROJECT/dist/**", src], hide: [keys], write: [$PROJECT/dist] }, ' +
      'commands: { isolated: ["/usr/bin/pip *", "pip *"] }, ' +
      'profiles: [{ name: p, server: [s], fs: { ask: [$PROJECT/dist] } }] }';
    expect(warned(world, {})).toEqual([
      'world_never world.fs.ask `$PROJECT/dist/**` is never asked about: `write` has `$PROJECT/dist` written at once',
      'world_never world.fs.ask `$PROJECT/keys/a` is never asked about: `hide` has it, so no world changes it',
      'world_never world.commands.isolated `/usr/bin/pip *` fits no command: a program is compared by its name, without a path',
      'world_never world.profiles[0].fs.ask `$PROJECT/dist` is never asked about: `write` has `$PROJECT/dist` written at once',
    ]);
  });
});
