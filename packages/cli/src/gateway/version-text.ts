import { nextStep, versionMisfit } from '@subluminal/core-types';
import { VERSION } from '../program/version.js';

/** How a gateway that answers is of another version than this `sub`; undefined if it is not. */
export function versionText(
  gateway: string,
): { readonly message: string; readonly help: string } | undefined {
  const misfit = versionMisfit(VERSION, gateway);
  if (misfit === undefined) return undefined;
  return { message: `it is version ${gateway}, and this is ${VERSION}`, help: nextStep('operator', misfit) };
}
