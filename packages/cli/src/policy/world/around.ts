import { userInfo } from 'node:os';
import { isSublError, listAt, textAt } from '@subluminal/core-types';
import type { AroundPolicy } from '@subluminal/policy';
import { askOperator } from '../../gateway/door.js';
import type { Call } from '../../program/call.js';

/** This machine, as far as it says more of a policy than the policy does. */
export async function aroundPolicy(call: Call): Promise<AroundPolicy> {
  return {
    isListed: await listedHosts(call),
    home: userInfo().homedir,
    gatewayHome: call.home.home,
  };
}

/** Undefined where no gateway can tell. */
async function listedHosts(call: Call): Promise<AroundPolicy['isListed']> {
  try {
    const entries = listAt(await askOperator(call.home, call.session.now, 'allow.list'), 'entries');
    const active = entries.filter((entry) => textAt(entry, 'is_active') === 'true');
    const hosts = new Set(active.map((entry) => textAt(entry, 'domain')));
    return (host) => hosts.has(host);
  } catch (error) {
    if (isSublError(error, 'gateway_unreachable', 'key_missing', 'home_missing', 'inside_run'))
      return undefined;
    throw error;
  }
}
