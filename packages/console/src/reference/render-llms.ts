/** `/llms.txt`: what a language model should know of this gateway, and where it reads more. Source: llmstxt.org. */
import { ERRORS, guidePath, guides } from './guides.ts'
import type { Api } from './operations.ts'

export function renderLlms({ tags }: Api): string {
  const operations = tags.flatMap(({ name, operations: ofTag }) => [
    `### ${name}`,
    '',
    ...ofTag.map(({ method, path, summary, id }) => `- [${method} ${path}](/docs/api/${id}): ${summary}`),
    '',
  ])
  return [
    '# SVC inference gateway',
    '',
    '> One OpenAI-compatible API and one key, paid from prepaid credits: 1 USD is 1,000 credits. Point any OpenAI client',
    '> at this origin followed by /api/v1. Every answer says what it cost.',
    '',
    '## Guides',
    '',
    ...guides.map(({ name, title, about }) => `- [${title}](${guidePath(name)}.md): ${about}`),
    `- [Errors](${guidePath(ERRORS)}.md): every code, who causes it and what to do.`,
    '',
    '## Reference',
    '',
    '- [OpenAPI document](/api/openapi): every field, machine-readable.',
    '- [Models](/api/v1/models?type=all): every model with its prices.',
    '',
    ...operations,
  ].join('\n')
}
