import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, numberAt, textAt } from '@subluminal/core-types';
import type { Act, LayerChange, LayerDone, LayerPatch, World, Worlds } from '@subluminal/ui/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isPlain, Stage, USERS, whyNoWorlds } from '../worlds/kit/stage.js';
import { untilFree } from './kit/free-port.js';
import { Asker, type Door, originOf } from './kit/page.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

/** A page of a stage's user, which is not always the tests' own. */
class StagePage {
  readonly #stage: Stage;
  readonly #door: Door;
  readonly #asker: Asker;
  #token = '';
  session = '';

  private constructor(stage: Stage, door: Door) {
    this.#stage = stage;
    this.#door = door;
    this.#asker = new Asker(stage.asUser(process.execPath));
  }

  static async open(stage: Stage): Promise<StagePage> {
    const { stdout } = await untilFree(
      () => stage.sub('ui', '--no-open', '--json'),
      (done) => done.stdout + done.stderr,
    );
    const { hash, hostname, port } = new URL(textAt(JSON.parse(stdout) as JsonObject, 'address'));
    const page = new StagePage(stage, { host: hostname, port: Number(port) });
    const { text } = await page.post('/ui/api/session', { code: hash.slice('#c='.length) });
    page.#token = textAt(JSON.parse(text) as JsonObject, 'token');
    page.session = textAt(JSON.parse(text) as JsonObject, 'session');
    return page;
  }

  get(path: string): ReturnType<Asker['askFor']> {
    return this.#asker.askFor(this.#door, 'GET', path, this.#headers);
  }

  post(path: string, body: object): ReturnType<Asker['askFor']> {
    return this.#asker.askFor(this.#door, 'POST', path, this.#headers, JSON.stringify(body));
  }

  act(act: Act): ReturnType<Asker['askFor']> {
    return this.post('/ui/api/act', act);
  }

  async layers(): Promise<Worlds['layers']> {
    const { status, text } = await this.get('/ui/api/worlds');
    if (status !== 200) throw new Error(text);
    return (JSON.parse(text) as Worlds).layers;
  }

  async world(layer: string): Promise<World> {
    const { status, text } = await this.get(`/ui/api/world/${layer}`);
    if (status !== 200) throw new Error(text);
    return JSON.parse(text) as World;
  }

  /** The only one that there is. */
  async theLayer(): Promise<World> {
    const [row] = await this.layers();
    return this.world(row?.layer ?? '');
  }

  async unlock(): Promise<void> {
    const { stdout } = await this.#stage.sub('ui', 'unlock', '--json');
    const code = textAt(JSON.parse(stdout) as JsonObject, 'code');
    expect((await this.post('/ui/api/unlock', { code })).status).toBe(200);
  }

  end(): void {
    this.#asker.end();
  }

  get #headers(): Readonly<Record<string, string>> {
    return {
      origin: originOf(this.#door),
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'subl-person': '1',
      ...(this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }),
    };
  }
}

describe.skipIf(why !== undefined)(`layers on the page${absent}`, () => {
  describe.each(USERS)('of %s', (_, uid) => {
    let stage: Stage;
    let ours: StagePage;
    const begin = async (files: Readonly<Record<string, string>> = { a: 'a\n' }): Promise<void> => {
      stage = new Stage(uid);
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(stage.project, name), text);
        stage.give(name);
      }
      await stage.start({});
      ours = await StagePage.open(stage);
    };
    afterEach(async () => {
      ours.end();
      await stage.remove();
    });
    const brief = ({ path, sign, state }: LayerChange): string => `${sign} ${path} ${state}`;
    const entriesOf = (action: string): readonly JsonObject[] =>
      stage
        .rows()
        .flatMap(({ type, tool, data, seq }) =>
          tool === action && type === 'action_pending' ? [{ ...data, seq }] : [],
        );

    it('are listed with their folder and signs, and shown with what is asked about and what is left', async () => {
      await begin({ a: 'a\n', b: 'b\n', gone: 'x\n' });
      await stage.inWorld('echo x >> a; rm gone; mkdir d; echo 1 > d/new; echo all: > Makefile; ln -s / out');
      const [row, ...others] = await ours.layers();
      expect(others).toEqual([]);
      expect(row).toMatchObject({
        folder: stage.project,
        added: 3,
        modified: 1,
        deleted: 1,
        in_world: false,
        label: expect.stringContaining('/bin/sh'),
      });
      const world = await ours.world(row?.layer ?? '');
      expect(world.changes.map(brief)).toEqual([
        '+ Makefile asks',
        '~ a taken',
        '+ d taken',
        '+ d/new taken',
        '- gone taken',
        '+ out left',
      ]);
      expect(world.changes[0]?.reasons).toEqual(['tools that build or test run it']);
      expect(world.changes.at(-1)).toMatchObject({ what: 'the link may lead out of the project' });
      expect(world).toMatchObject({ more: 0, shown: expect.stringMatching(/^[0-9a-f]{64}$/) });
      const { text } = await ours.get(`/ui/api/world/${world.layer}?path=a&shown=${world.shown}`);
      expect((JSON.parse(text) as LayerPatch).lines).toEqual([
        'diff --sub a/a b/a',
        '--- a/a',
        '+++ b/a',
        '@@ -1,1 +1,2 @@',
        ' a',
        '+x',
      ]);
      // A look is no decision: nothing is recorded, and twice the same is shown.
      expect((await ours.world(world.layer)).shown).toBe(world.shown);
      expect(stage.rows().filter(({ tool }) => tool === 'ui.layer')).toEqual([]);
    });

    it('are taken over by an unlocked page alone, as its session, and what is asked about stays without a yes to it', async () => {
      await begin();
      await stage.inWorld('echo x >> a; echo 1 > new; echo all: > Makefile');
      const { layer, shown } = await ours.theLayer();
      const act = { act: 'layer-commit', layer, paths: null, risky: false, shown } as const;
      expect(await ours.act(act)).toMatchObject({ status: 403, code: 'locked' });
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('a\n');
      await ours.unlock();
      const done = await ours.act(act);
      expect(done.status, done.text).toBe(200);
      const { data } = JSON.parse(done.text) as { readonly data: LayerDone };
      expect(data).toMatchObject({
        done: 2,
        left: [{ path: 'Makefile', what: expect.stringContaining('tools that build or test run it') }],
      });
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('a\nx\n');
      expect(existsSync(join(stage.project, 'Makefile'))).toBe(false);
      const [asked] = entriesOf('ui.layer');
      expect(asked).toMatchObject({
        source: `ui:${ours.session}`,
        decision: { does: 'commit', layer_id: layer, shown, paths: null, risky: false },
      });
      const [commit] = entriesOf('layer.commit');
      expect(commit).toMatchObject({
        seq: data.entry,
        layer: { asked: asked?.['seq'], asked_by: `ui:${ours.session}`, risky_count: 0 },
      });
      const rest = await ours.theLayer();
      expect(rest.changes.map(brief)).toEqual(['+ Makefile asks']);
      const yes = { ...act, paths: ['Makefile'], risky: true, shown: rest.shown };
      expect((await ours.act(yes)).status).toBe(200);
      expect(readFileSync(join(stage.project, 'Makefile'), 'utf8')).toBe('all:\n');
      expect(await ours.layers()).toEqual([]);
    });

    // Rights change nothing of the rest, which the page shows and asks: a plain user is enough.
    if (!isPlain(uid)) return;

    it('that are not as they were shown are left alone, whoever changed what', async () => {
      await begin();
      await stage.inWorld('echo x >> a; echo 1 > new');
      const { layer, shown } = await ours.theLayer();
      await ours.unlock();
      const upper = join(stage.home, 'layers', layer, 'upper');
      const commit = { act: 'layer-commit', layer, paths: null, risky: false, shown } as const;
      writeFileSync(join(upper, 'new'), '2\n');
      expect(await ours.act(commit)).toMatchObject({ status: 409, code: 'changed' });
      const discard = { act: 'layer-discard', layer, paths: ['new'], shown } as const;
      expect(await ours.act(discard)).toMatchObject({ status: 409, code: 'changed' });
      const second = await ours.world(layer);
      // Somebody edits the project: what was shown to pass is a conflict now.
      writeFileSync(join(stage.project, 'a'), 'mine\n');
      expect(await ours.act({ ...commit, shown: second.shown })).toMatchObject({ code: 'changed' });
      const third = await ours.world(layer);
      expect(third.changes.map(brief)).toEqual(['~ a left', '+ new taken']);
      expect(third.changes[0]).toMatchObject({ what: 'the project has changed there, too' });
      expect((await ours.act({ ...commit, shown: third.shown })).status).toBe(200);
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('mine\n');
      expect(readFileSync(join(stage.project, 'new'), 'utf8')).toBe('2\n');
      expect(entriesOf('layer.commit')).toHaveLength(1);
      expect(entriesOf('layer.discard')).toEqual([]);
    });

    it('have the lines of what was shown, or none: of no other bytes, and of no other file', async () => {
      await begin();
      await stage.inWorld('echo all: > Makefile; rm -r d; echo instead > d');
      const { layer, shown } = await ours.theLayer();
      const lines = (path: string): ReturnType<StagePage['get']> =>
        ours.get(`/ui/api/world/${layer}?path=${path}&shown=${shown}`);
      expect((JSON.parse((await lines('d')).text) as LayerPatch).lines.join('\n')).toContain('+instead');
      expect((await lines('Makefile')).text).toContain('+all:');
      // The program of a world writes harmless bytes while somebody reads.
      writeFileSync(join(stage.home, 'layers', layer, 'upper', 'Makefile'), 'none:\n');
      expect(await lines('Makefile')).toMatchObject({ status: 409, code: 'changed' });
      expect(await ours.get(`/ui/api/world/${layer}?path=Makefile&shown=--yes`)).toMatchObject({
        status: 400,
      });
    });

    it('are thrown away in part, and then all', async () => {
      await begin();
      await stage.inWorld('echo x >> a; echo 1 > new; echo 2 > other');
      const { layer, shown } = await ours.theLayer();
      const discard = { act: 'layer-discard', layer, paths: ['new'], shown } as const;
      expect(await ours.act(discard)).toMatchObject({ status: 403, code: 'locked' });
      await ours.unlock();
      expect((await ours.act(discard)).status).toBe(200);
      const rest = await ours.theLayer();
      expect(rest.changes.map(brief)).toEqual(['~ a taken', '+ other taken']);
      expect((await ours.act({ ...discard, paths: null, shown: rest.shown })).status).toBe(200);
      expect(await ours.layers()).toEqual([]);
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('a\n');
      expect(entriesOf('layer.discard').map((one) => textAt(one, 'layer', 'asked_by'))).toEqual([
        `ui:${ours.session}`,
        `ui:${ours.session}`,
      ]);
    });

    it('keep names of any bytes apart, and show none that acts', async () => {
      await begin();
      await stage.inWorld(
        String.raw`printf 1 > "$(printf 'n\377')"; printf 2 > 'n\xff'; printf 3 > "$(printf '\342\200\256gpj.exe')"; printf 4 > "$(printf 'a\nb')"; printf 5 > -rf`,
      );
      const world = await ours.theLayer();
      expect(world.changes.map(({ path }) => path).toSorted()).toEqual([
        '-rf',
        String.raw`\xe2\x80\xaegpj.exe`,
        String.raw`a\x0ab`,
        String.raw`n\x5cxff`,
        String.raw`n\xff`,
      ]);
      const path = String.raw`n\xff`;
      const patch = await ours.get(
        `/ui/api/world/${world.layer}?path=${encodeURIComponent(path)}&shown=${world.shown}`,
      );
      expect((JSON.parse(patch.text) as LayerPatch).lines.at(-2)).toBe('+1');
      await ours.unlock();
      const act = { act: 'layer-commit', layer: world.layer, risky: false, shown: world.shown } as const;
      expect((await ours.act({ ...act, paths: [path, '-rf'] })).status).toBe(200);
      expect(readdirSync(stage.project, { encoding: 'latin1' }).toSorted()).toEqual(['-rf', 'a', 'n\xff']);
    });

    it('of many files are listed in part, those that need a person first', async () => {
      await begin();
      await stage.inWorld(
        'for i in $(seq 2500); do echo $i > f$i; done; echo all: > zz.mk; echo all: > Makefile',
      );
      const world = await ours.theLayer();
      expect([world.changes.length, world.more, world.added]).toEqual([2000, 502, 2502]);
      expect(world.changes.filter(({ state }) => state === 'asks').map(({ path }) => path)).toEqual([
        'Makefile',
        'zz.mk',
      ]);
      await ours.unlock();
      const { layer, shown } = world;
      const act = { act: 'layer-commit', layer, paths: null, risky: false, shown } as const;
      const { text } = await ours.act(act);
      expect(numberAt(JSON.parse(text) as JsonObject, 'data', 'done')).toBe(2500);
    });

    it('overwrite what the project has since, as it was shown, and by its own name alone', async () => {
      await begin({ a: 'a\n', b: 'b\n', c: 'c\n' });
      await stage.inWorld(
        'for i in a b c; do echo world > $i; done; mkdir d; echo world > d/new; echo world > n',
      );
      for (const name of ['a', 'b', 'c', 'n']) {
        writeFileSync(join(stage.project, name), 'mine\n');
        stage.give(name);
      }
      const world = await ours.theLayer();
      const { layer, shown, overwrite } = world;
      expect(overwrite).not.toBe(shown);
      expect(world.changes.filter((one) => one.overwrite).map(({ path }) => path)).toEqual([
        'a',
        'b',
        'c',
        'n',
      ]);
      const { text } = await ours.get(`/ui/api/world/${layer}?path=n&shown=${overwrite}`);
      const patch = JSON.parse(text) as LayerPatch;
      expect([patch.lines.slice(-2), patch.is_whole]).toEqual([['-mine', '+world'], true]);
      const act = {
        act: 'layer-commit',
        layer,
        paths: ['a'],
        risky: false,
        overwrite: true,
        shown: overwrite,
      } as const;
      expect(await ours.act(act)).toMatchObject({ status: 403, code: 'locked' });
      await ours.unlock();
      // That digest does not show the lost lines, all is no name, and a file of no layer is no file.
      expect(await ours.act({ ...act, shown })).toMatchObject({ status: 409, code: 'changed' });
      expect(await ours.act({ ...act, paths: null })).toMatchObject({ code: 'bad_request' });
      for (const path of ['unlisted', '../home', '/etc/passwd', 'd/new/x'])
        expect((await ours.act({ ...act, paths: ['a', path] })).status, path).not.toBe(200);
      // Its folder is no name of a file.
      expect((await ours.act({ ...act, paths: ['d', 'n'] })).status).toBe(200);
      const mine = (name: string): string => readFileSync(join(stage.project, name), 'utf8');
      expect([mine('a'), mine('d/new'), mine('n')]).toEqual(['mine\n', 'world\n', 'world\n']);
      const second = await ours.theLayer();
      // The project changes again after it was shown: what nobody has seen is not lost.
      writeFileSync(join(stage.project, 'b'), 'mine again\n');
      expect((await ours.world(layer)).shown).toBe(second.shown);
      expect(await ours.get(`/ui/api/world/${layer}?path=b&shown=${second.overwrite}`)).toMatchObject({
        status: 409,
        code: 'changed',
      });
      expect(await ours.act({ ...act, paths: ['a'], shown: second.overwrite })).toMatchObject({
        status: 409,
        code: 'changed',
      });
      const third = await ours.theLayer();
      expect((await ours.act({ ...act, paths: ['a'], shown: third.overwrite })).status).toBe(200);
      expect([mine('a'), mine('b'), mine('c')]).toEqual(['world\n', 'mine again\n', 'mine\n']);
      expect(entriesOf('ui.layer').at(-1)).toMatchObject({
        decision: { does: 'commit', shown: third.overwrite, paths: 1, overwrite: true },
      });
      expect(entriesOf('layer.commit').at(-1)).toMatchObject({ layer: { overwrite: true } });
    });

    it('overwrite what others run only with a yes to that, too', async () => {
      await begin({ Makefile: 'all:\n' });
      await stage.inWorld('echo world: > Makefile');
      writeFileSync(join(stage.project, 'Makefile'), 'mine:\n');
      stage.give('Makefile');
      const { layer, overwrite, changes } = await ours.theLayer();
      expect(changes).toMatchObject([
        { path: 'Makefile', state: 'left', overwrite: true, reasons: ['tools that build or test run it'] },
      ]);
      await ours.unlock();
      const paths = ['Makefile'];
      const act = { act: 'layer-commit', layer, paths, overwrite: true, shown: overwrite } as const;
      const done = JSON.parse((await ours.act({ ...act, risky: false })).text) as {
        readonly data: LayerDone;
      };
      expect(done.data).toMatchObject({ done: 0, left: [{ path: 'Makefile' }] });
      expect(readFileSync(join(stage.project, 'Makefile'), 'utf8')).toBe('mine:\n');
      // A yes to a risk is none to what is lost.
      const plain = { ...act, overwrite: false, shown: (await ours.theLayer()).shown };
      await ours.act({ ...plain, risky: true });
      expect(readFileSync(join(stage.project, 'Makefile'), 'utf8')).toBe('mine:\n');
      const now = await ours.theLayer();
      expect((await ours.act({ ...act, risky: true, shown: now.overwrite })).status).toBe(200);
      expect(readFileSync(join(stage.project, 'Makefile'), 'utf8')).toBe('world:\n');
    });

    it('are named by an id alone: no path, flag, or start of one leads to another', async () => {
      await begin();
      await stage.inWorld('echo x >> a');
      const { layer, shown } = await ours.theLayer();
      await ours.unlock();
      mkdirSync(join(stage.home, 'elsewhere'));
      for (const id of ['..', '..%2f..', '--help', layer.slice(0, 6), 'x'.repeat(16), `${layer}/..`])
        expect((await ours.get(`/ui/api/world/${id}`)).code, id).toBe('no_route');
      expect((await ours.get(`/ui/api/world/${'0'.repeat(16)}`)).code).toBe('not_found');
      for (const id of ['../elsewhere', '--yes', ''])
        expect((await ours.act({ act: 'layer-discard', layer: id, paths: null, shown })).code, id).toBe(
          'bad_request',
        );
      for (const path of ['../../etc/passwd', '/etc/passwd', ''])
        expect(
          (await ours.act({ act: 'layer-commit', layer, paths: [path], risky: false, shown })).status,
          path,
        ).not.toBe(200);
      expect(entriesOf('layer.commit')).toEqual([]);
    });

    it('are not decided on by the word of `sub` that a page had asked', async () => {
      await begin();
      await stage.inWorld('echo x >> a');
      for (const asked of ['1', '999999']) {
        const { code, stderr } = await stage.sub('world', 'commit', '--asked', asked);
        expect([code, stderr]).toEqual([1, expect.stringContaining('no page has asked for this')]);
      }
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('a\n');
    });
  });
});
