/** The bundle makes JSX into calls of these two: they are shorter than those of the automatic runtime. */
export { createElement as elementOf, Fragment as fragmentOf } from 'preact';
