import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LayerAbout, layerPlace, pathOfText, rememberAsks } from '@subluminal/layers';
import { expect, it, onTestFinished } from 'vitest';
import { askedByLayer } from './asked-by.js';

it.each(['$PROJECT/conf', '${PROJECT}/conf', 'conf', '**/conf'])(
  'a change of the file to which the project’s own link leads is asked about by `%s`',
  (pattern) => {
    const root = realpathSync(mkdtempSync('/var/tmp/sub-asked-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const [project, layers] = [join(root, 'project'), join(root, 'layers')];
    mkdirSync(join(project, 'etc'), { recursive: true });
    writeFileSync(join(project, 'etc/own'), '');
    symlinkSync('etc/own', join(project, 'conf'));
    const place = layerPlace(layers, 'one');
    mkdirSync(place.folder, { recursive: true });
    rememberAsks(place, [pattern]);
    const about: LayerAbout = {
      place,
      project,
      over: undefined,
      beganAt: 0n,
      mountedAt: 0n,
      runId: 'run',
      label: 'test',
      world: undefined,
      decider: undefined,
    };
    const askedBy = (path: string): string | undefined =>
      askedByLayer(about)({
        path: pathOfText(path),
        how: 'deleted',
        before: undefined,
        after: undefined,
        isStale: false,
      });
    expect([askedBy('etc/own'), askedBy('etc/other')]).toEqual([pattern, undefined]);
  },
);
