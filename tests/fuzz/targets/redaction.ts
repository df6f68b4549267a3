import { previewOf, redact } from '@subluminal/core-types';
import { promise, type Target } from '../engine/target.js';

/** A token that is recognised by its shape alone, whatever stands around it. */
const TOKEN = 'ghp_R7q2ZkWm0pXv9LtB4sYcN8dHfJ3gKe6A1uTo';
/** No shorter part of it may be shown at the end of a preview. */
const PART = TOKEN.slice(0, 12);

/** Redaction: any text in any order, a planted token never comes out, and nothing is slow. */
export const redaction: Target = {
  name: 'redaction',
  seeds: [
    'Authorization: Bearer abcdefghijklmnop1234\nCookie: a=b; c=d',
    '{"password":"hunter2","nested":"{\\"api_key\\":\\"x\\\\\\"y\\"}"}',
    'postgres://user:p@ss/w?rd@host:5432/db https://git@github.com',
    'curl -u user:password --token "abc" https://hooks.slack.com/services/T0/B0/x',
    '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
    '{"name":"X-Api-Key","value":"v"} ["secret","v"] <add key="Password" value="v"/>',
    'token%3Dabc%26x password: |\n  block\n  more\nnext',
    "setx TOKEN value login me password you IDENTIFIED BY 'x'",
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  ].map((text) => Buffer.from(text)),
  words: [
    'password',
    'token=',
    'Bearer ',
    'Basic ',
    '://',
    '@',
    ':',
    '=',
    '"',
    "'",
    '\\"',
    '\\u0022',
    '\n',
    '\\n',
    '%3D',
    '%26',

    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    'ghp_',
    'sk-',
    'eyJ',
    '.',
    '--password ',
    '"value":"',

    '[',
    ']',
    '{',
    '}',
    ',',
    '|\n  ',
    'login a password ',
    '-u a:',
    '\u2028',
    '\ud83d\ude00',
  ],
  maxBytes: 4096,
  run(input, random) {
    const text = input.toString('utf8');
    const at = random.below(text.length + 1);
    const planted = `${text.slice(0, at)}${TOKEN}${text.slice(at)}`;
    promise(!redact(planted).text.includes(TOKEN), 'a token never comes out');
    const preview = previewOf(planted, 32 + random.below(256));
    promise(!preview.text.includes(TOKEN) && !preview.text.endsWith(PART), 'no preview shows a token');
    promise(preview.text.isWellFormed(), 'a preview is well-formed');
    return true;
  },
};
