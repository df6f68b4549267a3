import { createHash } from 'node:crypto';

/** Letters and digits that nobody can guess, the same in every run, and found in no other text. */
function letters(seed: string, length: number): string {
  let text = '';
  for (let round = 0; text.length < length; round += 1) {
    text += createHash('sha256').update(`${seed} ${round}`).digest('base64').replaceAll(/[+/=]/g, '');
  }
  return text.slice(0, length);
}

/** Something secret, and a text that it stands in. */
export interface Planted {
  readonly kind: string;
  /** What must be found nowhere. */
  readonly secret: string;
  readonly text: string;
}

/** How issuers begin their tokens, and how many characters follow. */
const PREFIXES: readonly (readonly [string, number])[] = [
  ['AKIA', 16],
  ['ASIA', 16],
  ['AIza', 35],
  ['ghp_', 36],
  ['gho_', 36],
  ['ghu_', 36],
  ['ghs_', 36],
  ['ghr_', 36],
  ['github_pat_', 60],
  ['glpat-', 20],
  ['npm_', 36],
  ['sk-ant-', 60],
  ['sk-', 40],
  ['sk_live_', 24],
  ['sk_test_', 24],
  ['rk_live_', 24],
  ['rk_test_', 24],
  ['whsec_', 32],
  ['xoxa-', 40],
  ['xoxb-', 40],
  ['xoxp-', 40],
  ['xoxr-', 40],
  ['xoxs-', 40],
  ['xapp-', 40],
  ['hf_', 34],
  ['pypi-', 60],
  ['dop_v1_', 64],
  ['shpat_', 32],
  ['AGE-SECRET-KEY-1', 58],
];

/** A token that its shape alone gives away. */
export function token(place: string): string {
  return `ghp_${letters(place, 36)}`;
}

/** Every kind that the product recognises, each with a value of its own for this place. */
export function everyKind(place: string): readonly Planted[] {
  const value = (kind: string): string => letters(`${place}/${kind}`, 24);
  const kind = (name: string, text: (secret: string) => string): Planted => {
    const secret = value(name);
    return { kind: name, secret, text: text(secret) };
  };
  const issued = PREFIXES.map(([prefix, length]): Planted => {
    const secret = `${prefix}${letters(`${place}/${prefix}`, length)}`;
    return { kind: `a token ${prefix}…`, secret, text: `use ${secret} for it` };
  });
  const dotted = ['SG.', 'ya29.', 'hvs.', 'eyJ'].map((prefix): Planted => {
    const [first, second] = [letters(`${place}/${prefix}`, 24), letters(`${place}/${prefix}.`, 44)];
    return {
      kind: `a token ${prefix}…`,
      secret: `${prefix}${first}.${second}`,
      text: `(${prefix}${first}.${second})`,
    };
  });
  return [
    ...issued,
    ...dotted,
    kind('a field', (secret) => `password=${secret}`),
    kind('a member of JSON', (secret) => `{"api_key":"${secret}"}`),
    kind('a member of JSON in a text of JSON', (secret) =>
      JSON.stringify({ body: `{"clientSecret":"${secret}"}` }),
    ),
    kind('a member whose quotes are escapes', (secret) => `{\\u0022token\\u0022:\\u0022${secret}\\u0022}`),
    kind('a line of YAML', (secret) => `database:\n  password: ${secret}\n  port: 1`),
    kind('a line of an environment file', (secret) => `export GITHUB_TOKEN="${secret}"`),
    kind('a bearer header', (secret) => `Authorization: Bearer ${secret}`),
    kind('a cookie', (secret) => `Cookie: theme=dark; session=${secret}`),
    kind('a header of an API key', (secret) => `X-Api-Key: ${secret}`),
    kind('the password of an address', (secret) => `postgres://user:${secret}@db.example/app`),
    kind('the user of an address', (secret) => `https://${secret}@git.example/repository`),
    kind('the query of an address', (secret) => `https://api.example/v1?access_token=${secret}&page=2`),
    kind('a web hook', (secret) => `https://hooks.slack.com/services/T0000/B0000/${secret}`),
    kind('a flag', (secret) => `deploy --password ${secret} --verbose`),
    kind('a flag in a list', (secret) => `["deploy","--token","${secret}"]`),
    kind('a user of curl', (secret) => `curl -u admin:${secret} https://a.example`),
    kind('a name and a value', (secret) => `{"name":"X-Auth-Token","value":"${secret}"}`),
    kind('a pair', (secret) => `["Authorization","${secret}"]`),
    kind('an attribute', (secret) => `<add key="Password" value="${secret}"/>`),
    kind('an element', (secret) => `<password>${secret}</password>`),
    kind('a form in a form', (secret) => `body=token%3D${secret}%26page%3D2`),
    kind('a setting', (secret) => `setx API_TOKEN ${secret}`),
    kind('a line of .netrc', (secret) => `machine a.example login me password ${secret}`),
    kind('a statement', (secret) => `CREATE USER a IDENTIFIED BY '${secret}'`),
    kind('a private key', (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`),
    basic(place, value('basic')),
  ];
}

function basic(place: string, secret: string): Planted {
  const encoded = Buffer.from(`user:${secret}`).toString('base64');
  return { kind: 'a basic header', secret, text: `Proxy-Authorization: Basic ${encoded} (${place})` };
}
