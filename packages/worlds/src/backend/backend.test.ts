import { describe, expect, it } from 'vitest';
import { worldView } from '../view.js';
import { absentBackend } from './absent.js';
import { backendNameOf } from './backend.js';

describe('the backend of worlds', () => {
  it('is chosen by the platform', () => {
    expect(['linux', 'darwin', 'win32', 'aix'].map((platform) => backendNameOf(platform))).toEqual([
      'linux-local',
      'lima',
      'wsl2',
      undefined,
    ]);
  });

  it.each(['docker', 'firecracker', 'wsl2'] as const)(
    'of %s makes nothing, and says what is missing and what to do',
    async (name) => {
      const backend = absentBackend(name);
      const view = worldView({
        cwd: import.meta.dirname,
        read: [],
        write: [],
        writesThrough: true,
        gatewayHome: '/nowhere',
      });
      for (const made of [
        backend.ensureSession(view),
        backend.exec(view, ['true']),
        backend.applyPolicy(view),
        backend.close(view),
      ]) {
        const refused = await made.then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(refused).toMatchObject({ code: 'not_available', help: expect.stringMatching(/./) });
        expect(String(refused)).toContain(`worlds of \`${name}\` are not made yet: `);
      }
    },
  );
});
