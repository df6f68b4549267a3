import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSublError, readSignerKey, renderVerifierKey, SublError } from '@subluminal/core-types';
import type { SignerKey } from '@subluminal/core-types';
import { readOwnText, syncFolder } from '@subluminal/ipc';
import { openSignature, signStatement, statementOf } from '@subluminal/policy';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { whyOf } from '../../output/system-error.js';
import { readPolicy, type PolicyFile } from '../../policy/source.js';
import type { Call } from '../../program/call.js';
import { required, whole, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { printMistakes, resultJson } from './lint.js';

const MAX_KEY_BYTES = 4096;

const FLAGS = {
  key: required('<keyfile>', 'the key, as `sub policy keygen` made it'),
  serial: whole(
    '<number>',
    'which of its signed policies this is; a gateway never goes back (default: the time)',
    0,
  ),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub policy sign FILE --key KEYFILE`: writes `FILE.sig`, for gateways that take signed policies only. */
export function defineSign(group: Command, does: Does): void {
  does(
    subVerb(group, 'sign', 'sign a policy file: writes FILE.sig beside it').argument('<file>', 'the file'),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const key = readKey(call.flags.key);
      const file = readPolicy(call.operand(0, 'file'));
      if (!file.result.ok) {
        if (call.output.json) call.output.value(resultJson(file));
        else printMistakes(call, file);
        return EXIT.failed;
      }
      assertPlainText(file);
      const path = `${file.name}.sig`;
      const now = call.session.now();
      const serial = serialOf(call, path, key, now);
      const statement = statementOf(file.result.snapshot, file.text, { serial, now });
      replace(path, signStatement(statement, key));
      const public_key = renderVerifierKey(key.verifier);
      const { name: signer } = key.verifier;
      if (call.output.json) call.output.value({ file: path, signer, public_key, ...statement });
      else {
        const policy = `\`${escapeText(statement.policy_id)}\` ${escapeText(statement.version)}`;
        call.output.line(
          `${escapeText(path)}: ${policy} signed by \`${escapeText(signer)}\`, serial ${serial}`,
        );
      }
      return EXIT.done;
    },
  );
}

function readKey(path: string): SignerKey {
  let text: string | undefined;
  try {
    text = readOwnText(path, { maxBytes: MAX_KEY_BYTES, forbidden: 0o077 });
  } catch (cause) {
    if (!isSublError(cause, 'home_unsafe')) throw cause;
    throw new SublError('failed', `the key ${cause.message}`, {
      cause,
      help: `give what \`sub policy keygen\` made, which only you can read: \`chmod 600 ${path}\``,
    });
  }
  if (text === undefined) {
    throw new SublError('failed', `there is no key \`${path}\``, {
      help: 'make one with `sub policy keygen`',
    });
  }
  const key = readSignerKey(text.trimEnd());
  if (key !== undefined) return key;
  throw new SublError('failed', `\`${path}\` is no key`, { help: 'make one with `sub policy keygen`' });
}

/** The signature is over the bytes of the file: a text that reads differently from them cannot be signed. */
function assertPlainText({ name, text }: PolicyFile): void {
  if (name !== '<stdin>' && Buffer.from(text).equals(readFileSync(name)) && !text.startsWith('\u{feff}'))
    return;
  throw new SublError('usage', `\`${name}\` cannot be signed`, {
    help: 'sign a file in utf-8 without a byte order mark',
  });
}

/** Seconds since 1970, or one more than the signature that is there, whichever is higher. */
function serialOf(call: Given, path: string, key: SignerKey, now: number): number {
  const given = call.flags.serial;
  if (given !== undefined) return given;
  let before: ReturnType<typeof openSignature>;
  try {
    before = openSignature(readFileSync(path, 'utf8'), [key.verifier]);
  } catch {
    before = 'there is none';
  }
  const seconds = Math.floor(now / 1000);
  return typeof before === 'string' ? seconds : Math.max(seconds, before.serial + 1);
}

/** Whole or not at all: a gateway may look at it at any moment. */
function replace(path: string, text: string): void {
  const beside = `${path}.new`;
  try {
    // A file that lies there is of a signing that was cut off, or a link.
    rmSync(beside, { force: true });
    writeFileSync(beside, text, { mode: 0o644, flush: true, flag: 'wx' });
    renameSync(beside, path);
    syncFolder(dirname(path));
  } catch (cause) {
    rmSync(beside, { force: true });
    throw new SublError('failed', `\`${path}\` cannot be written: ${whyOf(cause)}`, {
      cause,
      help: 'put the policy into a folder that you can write',
    });
  }
}
