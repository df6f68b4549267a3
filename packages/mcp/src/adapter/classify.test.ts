import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@subluminal/core-types';
import { UninspectedArgs } from '@subluminal/agent';
import { effectOf, isHousekeeping, isPlainNotification, mustBeRequest } from './classify.js';

const observed = () => ({ bytes: 9, streamHash: 'h' });
const effect = (method: string, value?: JsonObject) => effectOf(method, { inspected: true, value }, observed);

test.each([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'resources/templates/list',
  'roots/list',
  'tasks/get',
])('%s passes without a decision', (method) => {
  expect(isHousekeeping(method)).toBe(true);
});

test.each([
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'sampling/createMessage',
  'elicitation/create',
  'Tools/List',
  'tools/list ',
  'vendor/x',
  '',
  'constructor',
  '__proto__',
])('%j is decided', (method) => {
  expect(isHousekeeping(method)).toBe(false);
});

test('a method that has an effect must be a request, a notification of the standard need not', () => {
  expect(mustBeRequest('tools/call')).toBe(true);
  expect(mustBeRequest('resources/read')).toBe(true);
  expect(mustBeRequest('vendor/x')).toBe(false);
  expect(isPlainNotification('notifications/cancelled')).toBe(true);
  expect(isPlainNotification('notifications/tasks/status')).toBe(true);
  expect(isPlainNotification('notifications/vendor/run')).toBe(false);
  expect(isPlainNotification('notifications/')).toBe(false);
  expect(isPlainNotification('tools/call')).toBe(false);
});

describe('the effect of a tool call', () => {
  test('is its name and its arguments', () => {
    expect(effect('tools/call', { name: 'read', arguments: { a: 1 } })).toEqual({
      toolName: 'read',
      args: { a: 1 },
    });
    expect(effect('tools/call', { name: 'read', _meta: {} })).toEqual({ toolName: 'read', args: {} });
  });

  test.each([
    [undefined],
    [{}],
    [{ name: '' }],
    [{ name: 7 }],
    [{ name: 'x'.repeat(513) }],
    [{ name: 'mcp:ping' }],
    [{ name: 'read', arguments: null }],
    [{ name: 'read', arguments: [] }],
    [{ name: 'read', arguments: 'text' }],
    [{ name: 'read', Name: 'write' }],
    [{ name: 'read', NAME: 'write' }],
    [{ name: 'read', argumentſ: {} }],
    [{ name: 'read', 'name\u200b': 'write' }],
    [{ name: 'read', arguments: { 'path\0': '/etc' } }],
    [{ name: 'read', arguments: { 'force\u200b': true } }],
    [{ name: 'read', arguments: { ｆorce: true } }],
    [{ name: 'read', arguments: { '%66orce': true } }],
    [{ name: 'read', arguments: { 'path ': '/etc' } }],
    [{ name: 'read', arguments: { path: '/tmp', 'path[]': '/etc' } }],
  ] as [JsonObject | undefined][])('cannot be told of %j', (value) => {
    expect(effect('tools/call', value)).toBeTypeOf('string');
  });

  test('is not read from a prototype', () => {
    const params: JsonObject = Object.create({ name: 'inherited' });
    expect(effect('tools/call', params)).toBeTypeOf('string');
  });

  test('that was not inspected carries the hash of what was seen', () => {
    const params = {
      inspected: false,
      name: 'read',
      argumentsAre: 'object',
      argumentKeys: ['a'],
      keys: ['name', 'arguments'],
    } as const;
    expect(effectOf('tools/call', params, observed)).toEqual({
      toolName: 'read',
      args: new UninspectedArgs('h', 9, ['a']),
    });
    expect(effectOf('tools/call', { ...params, argumentsAre: 'other' }, observed)).toBeTypeOf('string');
    expect(effectOf('tools/call', { ...params, name: undefined }, observed)).toBeTypeOf('string');
    expect(effectOf('resources/read', params, observed)).toEqual({
      toolName: 'mcp:resources/read',
      args: new UninspectedArgs('h', 9, ['name', 'arguments']),
    });
  });
});

test('the data of a call may have any names but at its top', () => {
  const args = { contents: { 'a b[1]': 1, '%66': [{ 'x ': 2 }] }, 'user.name': 'a', 名称: 1 };
  expect(effect('tools/call', { name: 'write', arguments: args, _meta: { 'x y/z[]': 1 } })).toEqual({
    toolName: 'write',
    args,
  });
});

test('a name that some servers read as another is told as it is written', () => {
  expect(effect('tools/call', { name: 'read', arguments: { 'path\u200b': 1 } })).toBe(
    '`params.arguments.path\\u{200b}` is a name that some servers read as another: send it as the tool declares it',
  );
  expect(effect('vendor/x', { 'uri[]': 'a' })).toMatch(/^`params\.uri\[\]` is a name/);
});

test('other requests are decided under their method, with their params', () => {
  expect(effect('resources/read', { uri: 'x' })).toEqual({
    toolName: 'mcp:resources/read',
    args: { uri: 'x' },
  });
  expect(effect('vendor/x')).toEqual({ toolName: 'mcp:vendor/x', args: {} });
  expect(effect('x'.repeat(600))).toBeTypeOf('string');
});

test.each([
  'Tools/Call',
  'tools.call',
  'mcp/tools/call',
  'rpc.tools.call',
  '/v1/Tools/Call',
  'mcp/v1/resources/read',
  'tools/call/v2',
  'notifications/tools/call',
  'Notifications/Cancelled',
  'notifications/progress ',
])('%j is spelt unlike the standard', (method) => {
  expect(effect(method, { name: 'read' })).toBe('the method is spelt unlike the standard');
});

test.each([
  'vendor/tasks/list',
  'vendor/tool-calls',
  'vendor/toolscall',
  'resources/readable',
  'notifications/vendor/run',
  'notifications/progress',
])('%j is decided under its own name', (method) => {
  expect(effect(method, { a: 1 })).toEqual({ toolName: `mcp:${method}`, args: { a: 1 } });
});
