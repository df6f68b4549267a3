/** The complete public surface of @subluminal/projects: named exports only. */
export { projectsActions } from './actions/actions.js';
export type { ProjectsActions } from './actions/actions.js';
export type { ProjectSight } from './place/finding.js';
export { Projects } from './projects.js';
export { projectsShown, projectsStatus } from './shown.js';
export { ProjectStore } from './trusted/project-store.js';
