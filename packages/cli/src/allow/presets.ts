/** Hosts that a service is known to be reached at, all over HTTPS. */
export interface Preset {
  readonly name: string;
  readonly about: string;
  readonly hosts: readonly string[];
  /** The page of the service that its hosts are taken from. */
  readonly source: string;
}

/** Lists that people add as a whole. Names are exact: a service that adds a host needs another entry. */
export const PRESETS: readonly Preset[] = [
  {
    name: 'anthropic',
    about: 'models of Anthropic, and the sign-in of Claude Code',
    hosts: ['api.anthropic.com', 'claude.ai', 'claude.com', 'platform.claude.com'],
    source: 'https://code.claude.com/docs/en/network-config',
  },
  {
    name: 'crates',
    about: 'packages of Rust',
    hosts: ['crates.io', 'index.crates.io', 'static.crates.io'],
    source: 'https://doc.rust-lang.org/cargo/reference/registries.html',
  },
  {
    name: 'debian',
    about: 'packages of Debian, over HTTPS',
    hosts: ['deb.debian.org', 'security.debian.org'],
    source: 'https://deb.debian.org/',
  },
  {
    name: 'docker',
    about: 'images of Docker Hub',
    hosts: [
      'auth.docker.io',
      'docker-images-prod.6aa30f8b08e16409b46e0173d6de2f56.r2.cloudflarestorage.com',
      'hub.docker.com',
      'production.cloudflare.docker.com',
      'production.cloudfront.docker.com',
      'registry-1.docker.io',
    ],
    source: 'https://docs.docker.com/desktop/setup/allow-list/',
  },
  {
    name: 'github',
    about: 'repositories, releases and the API of GitHub; anybody can receive data there',
    hosts: [
      'api.github.com',
      'codeload.github.com',
      'github.com',
      'objects.githubusercontent.com',
      'raw.githubusercontent.com',
      'release-assets.githubusercontent.com',
    ],
    source: 'https://docs.github.com/en/actions/concepts/runners/communicating-with-self-hosted-runners',
  },
  {
    name: 'gitlab',
    about: 'repositories, packages and the API of GitLab; anybody can receive data there',
    hosts: ['gitlab.com', 'registry.gitlab.com'],
    source: 'https://docs.gitlab.com/user/gitlab_com/',
  },
  {
    name: 'go',
    about: 'modules of Go, and their checksums',
    hosts: ['proxy.golang.org', 'sum.golang.org'],
    source: 'https://proxy.golang.org/',
  },
  {
    name: 'maven',
    about: 'packages of Maven Central',
    hosts: ['repo.maven.apache.org', 'repo1.maven.org'],
    source: 'https://central.sonatype.org/consume/',
  },
  {
    name: 'npm',
    about: 'packages of npm',
    hosts: ['registry.npmjs.org'],
    source: 'https://docs.npmjs.com/cli/using-npm/registry',
  },
  {
    name: 'openai',
    about: 'models of OpenAI, and the sign-in of Codex',
    hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
    source: 'https://developers.openai.com/codex/auth',
  },
  {
    name: 'pypi',
    about: 'packages of Python',
    hosts: ['files.pythonhosted.org', 'pypi.org'],
    source: 'https://docs.pypi.org/',
  },
  {
    name: 'rubygems',
    about: 'packages of Ruby',
    hosts: ['index.rubygems.org', 'rubygems.org'],
    source: 'https://guides.rubygems.org/rubygems-org-compact-index-api/',
  },
];
