import { describe, expect, it } from 'vitest';
import { heldBackText, upstreamEnvironment } from './upstream-environment.js';

const client = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C.UTF-8',
  XDG_CONFIG_HOME: '/home/me/.config',
  https_proxy: 'http://proxy:1',
  NODE_EXTRA_CA_CERTS: '/ca.pem',
  CLAUDE_PROJECT_DIR: '/p',
  SUB_RUN_ID: 'run',
  SUB_HTTP_TOKEN: 'subr_token',
  SUB_UPSTREAM_TOKEN: 'of-another-server',
  SUB_HOME: '/home/me/.subluminal',
  AWS_SECRET_ACCESS_KEY: 'aws',
  GITHUB_TOKEN: 'github',
  NODE_OPTIONS: '--require=/x',
  PWD: '/p',
  _: '/bin/sh',
};
const SAFE = [
  'PATH',
  'HOME',
  'LC_ALL',
  'XDG_CONFIG_HOME',
  'https_proxy',
  'NODE_EXTRA_CA_CERTS',
  'CLAUDE_PROJECT_DIR',
  'SUB_RUN_ID',
];

describe('the environment of a server', () => {
  const given = (pass: readonly string[], platform: NodeJS.Platform = 'linux') =>
    upstreamEnvironment({ client, pass, platform });

  it('holds the short list, and the rest is named as held back', () => {
    const { env, heldBack } = given([]);
    expect(Object.keys(env)).toEqual(SAFE);
    expect(heldBack).toEqual(['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'NODE_OPTIONS', 'SUB_HOME']);
  });

  it('holds what is passed by name, and nothing that merely begins so', () => {
    expect(Object.keys(given(['GITHUB_TOKEN', 'AWS', 'MISSING']).env)).toEqual([...SAFE, 'GITHUB_TOKEN']);
  });

  it('holds everything but the keys of a run where everything is passed', () => {
    const { env, heldBack } = given(['*', 'SUB_HTTP_TOKEN', 'SUB_UPSTREAM_TOKEN']);
    const { SUB_HTTP_TOKEN: _http, SUB_UPSTREAM_TOKEN: _upstream, ...rest } = client;
    expect(env).toEqual(rest);
    expect(heldBack).toEqual([]);
  });

  it('knows no case on Windows, and what Windows needs', () => {
    const windows = { Path: 'C:\\', SystemRoot: 'C:\\Windows', GitHub_Token: 'x', sub_http_token: 'y' };
    const sources = { client: windows, pass: ['GITHUB_TOKEN'], platform: 'win32' } as const;
    expect(Object.keys(upstreamEnvironment(sources).env)).toEqual(['Path', 'SystemRoot', 'GitHub_Token']);
    expect(upstreamEnvironment({ ...sources, platform: 'linux' }).env).toEqual({});
  });
});

describe('the line about variables that were held back', () => {
  it('names them, and says what hands one on', () => {
    expect(heldBackText(['A_TOKEN', 'BASH_FUNC_x%%', 'B'])).toBe(
      'the server was not given these variables of its client: A_TOKEN, B (`--pass NAME` before `--` hands one on)',
    );
  });

  it('is bounded, and absent where nothing was held back', () => {
    expect(heldBackText([])).toBeUndefined();
    const many = Array.from({ length: 30 }, (_, n) => `V${n}`);
    expect(heldBackText(many)).toContain('V23 and 6 more (');
  });
});
