/** Tells an agent that its call met a panic: by a shim, and by a hook. */
export const STOPPED_BY_OPERATOR =
  'the operator has stopped everything, so the call was not made: do nothing more, and say so';
