/** What the bundle makes of JSX: calls of these two, which are shorter than those of the automatic runtime. */
export { createElement as elementOf, Fragment as fragmentOf } from 'preact';
