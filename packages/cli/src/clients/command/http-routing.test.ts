import { describe, expect, it } from 'vitest';
import { originOf } from './http-routing.js';

describe('originOf', () => {
  it.each([
    ['https://api.example.com/mcp', 'api.example.com', 443, 'https', false],
    ['http://API.example.com:8080/x?y=${Z}', 'api.example.com', 8080, 'http', false],
    ['https://localhost:3000/${PATH}', 'localhost', 3000, 'https', true],
    ['http://10.0.0.1/mcp', '10.0.0.1', 80, 'http', true],
    ['http://[::1]:9/mcp', '::1', 9, 'http', true],
    ['http://2130706433/mcp', '127.0.0.1', 80, 'http', true],
  ])('of %s is where it is reached', (url, host, port, protocol, isLocal) => {
    expect(originOf(url)).toEqual({ host, port, protocol, isLocal });
  });

  it.each([
    '${BASE}/mcp',
    'https://${HOST}/mcp',
    'https://{env:H}/mcp',
    'ws://h/mcp',
    'mcp',
    '',
    'https:\\\\h',
  ])('of %s is known to the client alone', (url) => {
    expect(originOf(url)).toBeUndefined();
  });
});
