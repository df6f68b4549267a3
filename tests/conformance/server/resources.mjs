// The resources that the conformance suite reads.
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { PIXEL } from './bytes.mjs';

export const LISTED = [
  { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched-resource', mimeType: 'text/plain' },
];

export const TEMPLATES = [
  { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
];

/** @param {string} uri */
export function readResource(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  }
  const listed = LISTED.find((resource) => resource.uri === uri);
  if (listed === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no resource ${uri}`);
  const { mimeType } = listed;
  if (mimeType === 'image/png') return { contents: [{ uri, mimeType, blob: PIXEL }] };
  return { contents: [{ uri, mimeType, text: `This is the content of the ${listed.name} resource.` }] };
}
