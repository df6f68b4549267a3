// The prompts that the conformance suite gets by name.
import { PIXEL } from './bytes.mjs';

/** @param {object} content */
const said = (content) => ({ role: 'user', content });
/** @param {string} text */
const words = (text) => said({ type: 'text', text });

/**
 * @typedef {{ description: string, args?: readonly string[], messages: (args: Record<string, string>) =>
 *   object[] }} Prompt
 * @type {Readonly<Record<string, Prompt>>}
 */
export const PROMPTS = {
  test_simple_prompt: {
    description: 'without arguments',
    messages: () => [words('This is a simple prompt for testing.')],
  },
  test_prompt_with_arguments: {
    description: 'with arguments',
    args: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: 'with a resource',
    args: ['resourceUri'],
    messages: ({ resourceUri: uri }) => [
      said({
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
      words('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    description: 'with an image',
    messages: () => [
      said({ type: 'image', data: PIXEL, mimeType: 'image/png' }),
      words('Please analyze the image above.'),
    ],
  },
};
