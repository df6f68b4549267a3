import { writeFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { isKeyName, newSignerKey, readSignerKey, renderVerifierKey, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { whyOf } from '../../output/system-error.js';
import { string } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  name: string('<name>', 'what signatures call it (default: the name of the file)'),
};

/** `sub policy keygen KEYFILE`: a key that signs policies. A key file is never replaced. */
export function defineKeygen(group: Command, does: Does): void {
  does(
    subVerb(group, 'keygen', 'make a key that signs policies, and print its public half').argument(
      '<keyfile>',
      'where the private key goes; a file that only you can read',
    ),
    FLAGS,
    async (call) => {
      const path = resolve(call.operand(0, 'keyfile'));
      const name = call.flags.name ?? basename(path, extname(path));
      if (!isKeyName(name)) {
        throw new SublError('usage', `\`${name}\` cannot be the name of a key`, {
          help: 'give one without spaces and without `+` by `--name`',
        });
      }
      const text = newSignerKey(name);
      write(path, `${text}\n`);
      const key = readSignerKey(text);
      if (key === undefined) throw new SublError('failed', 'the key that was made cannot be read');
      const publicKey = renderVerifierKey(key.verifier);
      if (call.output.json) call.output.value({ file: path, name, public_key: publicKey });
      else {
        call.output.line(publicKey);
        call.output.note(
          'gateways take what it signs with `accept = "signed"` and this line in `signers`, under `[policy]` of config.toml',
        );
      }
      return EXIT.done;
    },
  );
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (Reflect.get(Object(cause), 'code') === 'EEXIST') {
      throw new SublError('usage', `\`${path}\` exists`, {
        cause,
        help: 'name a file that does not exist yet',
      });
    }
    throw new SublError('failed', `\`${path}\` cannot be written: ${whyOf(cause)}`, {
      cause,
      help: 'name a file in a folder that you can write',
    });
  }
}
