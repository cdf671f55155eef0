/** The coding agents that are tried, with the versions that are fetched, and what a model calls to edit a file. */
import type { AgentClient, PlayedCall } from './client.ts'
import { PLAYED_MODEL } from './played-model.ts'

const TASK = 'Replace old by new in note.txt.'
const MODEL = PLAYED_MODEL
const CLINE = 'openai-compatible'

const shell = (...tools: string[]): PlayedCall => ({ tools, input: () => ({ cmd: "printf 'new\\n' > note.txt" }) })

/** As docs/api.md shows it. */
const codexConfig = (baseUrl: string): string => `
model = "${MODEL}"
model_provider = "svc"

[model_providers.svc]
name = "SVC"
base_url = "${baseUrl}/v1"
env_key = "SVC_API_KEY"
wire_api = "responses"
`

/** The form of an edit for models that call no tools. */
const searchReplace = `note.txt
\`\`\`
<<<<<<< SEARCH
old
=======
new
>>>>>>> REPLACE
\`\`\`

It is done.`

export const agents: readonly AgentClient[] = [
  {
    ...{ kind: 'agent', language: 'node', name: 'claude-code', form: 'messages' },
    packages: ['@anthropic-ai/claude-code@2.1.332'],
    command: 'node_modules/.bin/claude',
    start: ({ baseUrl, key }) => ({
      words: ['-p', TASK, '--permission-mode', 'acceptEdits', '--allowedTools', 'Read,Edit'],
      env: {
        ...{ ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_MODEL: MODEL },
        ...{ ANTHROPIC_DEFAULT_HAIKU_MODEL: MODEL, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
      },
    }),
    calls: [
      { tools: ['Read'], input: (file) => ({ file_path: file }) },
      { tools: ['Edit'], input: (file) => ({ file_path: file, old_string: 'old', new_string: 'new' }) },
    ],
  },
  {
    ...{ kind: 'agent', language: 'node', name: 'codex-cli', form: 'responses' },
    packages: ['@openai/codex@0.171.0'],
    command: 'node_modules/.bin/codex',
    start: ({ baseUrl, key, home }) => ({
      words: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', TASK],
      env: { CODEX_HOME: home, SVC_API_KEY: key },
      files: { 'config.toml': codexConfig(baseUrl) },
    }),
    calls: [shell('exec_command')],
  },
  {
    ...{ kind: 'agent', language: 'node', name: 'opencode', form: 'chat' },
    packages: ['opencode-ai@1.18.33'],
    command: 'node_modules/.bin/opencode',
    start: ({ baseUrl, key }) => ({
      words: ['run', '--model', `svc/${MODEL}`, TASK],
      env: { SVC_API_KEY: key, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
      files: {
        '.config/opencode/opencode.json': JSON.stringify({
          provider: {
            svc: {
              npm: '@ai-sdk/openai-compatible',
              options: { baseURL: `${baseUrl}/v1`, apiKey: '{env:SVC_API_KEY}' },
              models: { [MODEL]: {} },
            },
          },
        }),
      },
    }),
    calls: [
      { tools: ['read'], input: (file) => ({ filePath: file }) },
      { tools: ['edit'], input: (file) => ({ filePath: file, oldString: 'old', newString: 'new' }) },
    ],
  },
  {
    ...{ kind: 'agent', language: 'node', name: 'qwen-code', form: 'chat' },
    packages: ['@qwen-code/qwen-code@0.24.4'],
    command: 'node_modules/.bin/qwen',
    start: ({ baseUrl, key }) => ({
      words: ['--auth-type', 'openai', '--approval-mode', 'yolo', '-p', TASK],
      env: { OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: MODEL },
    }),
    calls: [
      { tools: ['read_file'], input: (file) => ({ file_path: file }) },
      { tools: ['edit', 'replace'], input: (file) => ({ file_path: file, old_string: 'old', new_string: 'new' }) },
    ],
  },
  {
    ...{ kind: 'agent', language: 'node', name: 'pi', form: 'chat' },
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    command: 'node_modules/.bin/pi',
    start: ({ baseUrl, key }) => ({
      words: ['-p', '--provider', 'svc', '--model', MODEL, TASK],
      env: { SVC_API_KEY: key, PI_OFFLINE: '1' },
      files: {
        '.pi/agent/models.json': JSON.stringify({
          providers: {
            svc: {
              ...{ baseUrl: `${baseUrl}/v1`, api: 'openai-completions', apiKey: 'SVC_API_KEY' },
              models: [{ id: MODEL }],
            },
          },
        }),
      },
    }),
    calls: [
      { tools: ['read'], input: () => ({ path: 'note.txt' }) },
      { tools: ['edit'], input: () => ({ path: 'note.txt', edits: [{ oldText: 'old', newText: 'new' }] }) },
    ],
  },
  {
    ...{ kind: 'agent', language: 'node', name: 'cline', form: 'chat' },
    packages: ['cline@3.0.65'],
    command: 'node_modules/.bin/cline',
    start: ({ baseUrl, key }) => ({
      words: ['--auto-approve', 'true', TASK],
      env: {},
      // What `cline auth -p openai-compatible -k … -m … -b …` writes.
      files: {
        '.cline/data/settings/providers.json': JSON.stringify({
          ...{ version: 1, lastUsedProvider: CLINE, modes: {} },
          providers: {
            [CLINE]: {
              settings: { provider: CLINE, apiKey: key, model: MODEL, baseUrl: `${baseUrl}/v1` },
              ...{ updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' },
            },
          },
        }),
      },
    }),
    calls: [{ tools: ['editor'], input: (file) => ({ path: file, old_text: 'old', new_text: 'new' }) }],
  },
  {
    ...{ kind: 'agent', language: 'python', name: 'aider', form: 'chat' },
    packages: ['aider-chat==0.86.2'],
    command: 'venv/bin/aider',
    start: ({ baseUrl, key }) => ({
      words: [
        ...['--model', `openai/${MODEL}`, '--edit-format', 'diff', '--yes-always', '--no-git', '--no-check-update'],
        ...['--no-show-model-warnings', '--analytics-disable', '--no-gitignore', '--message', TASK, 'note.txt'],
      ],
      env: { OPENAI_API_BASE: `${baseUrl}/v1`, OPENAI_API_KEY: key },
    }),
    calls: [],
    says: searchReplace,
  },
]
