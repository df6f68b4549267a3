import {
  ACCOUNT_KINDS,
  AccountAddPayload,
  firstMistake,
  listAt,
  newId,
  setupTokenUrl,
  SublError,
  textAt,
  type JsonValue,
} from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import type { Call } from '../../program/call.js';
import { flag } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { readSecretValue } from '../../secrets/read-value.js';
import { claim, originOf } from './claim.js';
import { accountName } from './name.js';
import { settingsOf, SETTING_FLAGS, SETTINGS } from './settings.js';

/** The name of the secret of each kind, for the person who types it. */
const SECRETS: Readonly<Record<(typeof ACCOUNT_KINDS)[number], string>> = {
  email: 'password',
  calendar: 'password',
  finance: 'setup token or access URL',
  health: 'token',
  api: 'token or key',
};

const FLAGS = {
  ...SETTINGS,
  replace: flag('put this account in the place of the one of that name'),
};

/** `sub account add KIND NAME`. */
export function defineAdd(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'add',
      'add an account; its password, token, setup token or access URL is typed unseen, or read from standard input',
    )
      .argument('<kind>', `what it is of: ${ACCOUNT_KINDS.join(', ')}`)
      .argument('<name>', 'how actions and you call it'),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const kind = kindOf(call);
      const name = accountName(call, 1);
      const given = settingsOf(call, kind);
      const replace = call.flags.replace;
      // Where the origin stands in the secret there is something to check only when that is read.
      const isComplete = kind !== 'finance' || given['origin'] !== undefined;
      if (isComplete) checked({ name, kind, settings: given, secret: 'not read yet', replace });
      await ensureGateway(call, 'automatic');
      const secret = await readSecretValue(call, `${SECRETS[kind]} of \`${name}\``);
      const token = kind === 'finance' ? setupTokenUrl(secret) : undefined;
      const settings = isComplete || token !== undefined ? given : { origin: ownOrigin(secret) };
      const data =
        token === undefined
          ? await askOperator(
              call.home,
              call.session.now,
              'account.add',
              checked({ name, kind, settings, secret, replace }),
            )
          : await claim(call, { name, token: secret, replace }, token, call.flags.origin);
      if (call.output.json) call.output.value(data);
      else call.output.lines(added(data, name));
      return EXIT.done;
    },
  );
}

/** The origin that stands in an access URL. */
function ownOrigin(secret: string): string {
  const origin = originOf(secret);
  if (origin?.startsWith('http://') === true)
    throw new SublError('usage', 'the access URL is one without TLS, and nothing is sent there', {
      help: 'ask the service for one that begins with `https://`',
    });
  if (origin !== undefined) return origin;
  throw new SublError('usage', 'this is neither a setup token nor an access URL', {
    help: 'copy it once more, the whole of it and nothing else',
  });
}

/** The payload, with salt. Throws `usage`. */
function checked(payload: Readonly<Record<string, unknown>>): AccountAddPayload {
  const read = AccountAddPayload.safeParse({ ...payload, salt: `${newId()}${newId()}` });
  if (!read.success) throw wrong(read.error, payload);
  return read.data;
}

function kindOf(call: Call): (typeof ACCOUNT_KINDS)[number] {
  const given = call.operand(0, 'kind');
  const kind = ACCOUNT_KINDS.find((one) => one === given);
  if (kind !== undefined) return kind;
  throw new SublError('usage', `\`${given}\` is not a kind of account`, {
    help: `the kinds are ${ACCOUNT_KINDS.map((one) => `\`${one}\``).join(', ')}`,
  });
}

function wrong(error: Parameters<typeof firstMistake>[0], payload: unknown): SublError {
  // The one rule over all settings of a kind: mail has a server.
  const issues = error.issues.map((issue) =>
    issue.code === 'custom' && issue.path.length === 1 ? { ...issue, path: ['settings', 'imap'] } : issue,
  );
  const { message, help } = firstMistake({ issues }, payload, 'the account', flagOf);
  return new SublError('usage', message, { help: `${help}; see \`sub help account add\`` });
}

/** The flag that sets what stands at that place of the payload. */
function flagOf([, first, second]: readonly PropertyKey[]): string {
  const field = String(second === 'security' ? `${String(first)}-security` : (first ?? 'settings'));
  return SETTING_FLAGS.get(field) ?? field;
}

/** The next step: an account by itself reaches nothing. */
function added(data: JsonValue, name: string): string[] {
  const closed = listAt(data, 'reaches').filter((reach) => textAt(reach, 'allowed') !== 'true');
  return [
    `\`${name}\` is ${textAt(data, 'change')}`,
    ...(closed.length === 0 ? [] : ['where it leads is not on the allowlist yet; to let actions get there:']),
    ...closed.map((reach) => `  sub allow add ${hostText(textAt(reach, 'host'))}:${textAt(reach, 'port')}`),
    `then try it: ${tryIt(data, name)}`,
  ];
}

/** An account of the kind `api` signs in to nothing: what it is for is one request below its prefix. */
function tryIt(data: JsonValue, name: string): string {
  const [reach] = listAt(data, 'reaches');
  if (textAt(data, 'kind') !== 'api' || reach === undefined) return `sub account test ${name}`;
  return `sub call service.api_call --url ${textAt(reach, 'origin')}/…`;
}

function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
