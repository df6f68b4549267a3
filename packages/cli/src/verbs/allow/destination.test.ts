import { describe, expect, it } from 'vitest';
import { parseDestination } from './destination.js';

describe('parseDestination', () => {
  it.each([
    ['api.example.com', { host: 'api.example.com' }],
    ['api.example.com:8443', { host: 'api.example.com', port: 8443 }],
    ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
    ['[::1]:443', { host: '[::1]', port: 443 }],
    ['::1', { host: '::1' }],
  ])('reads %s', (text, destination) => {
    expect(parseDestination(text)).toEqual(destination);
  });

  it.each([
    '',
    'https://api.example.com',
    'api.example.com/path',
    'user@host',
    'a b',
    'host:0',
    'host:65536',
    'host:http',
  ])('refuses `%s` as a usage error', (text) => {
    expect(() => parseDestination(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
