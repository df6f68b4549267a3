/** The bundle makes calls of these two out of JSX: they are shorter than those of the automatic runtime. */
export { createElement as elementOf, Fragment as fragmentOf } from 'preact';
