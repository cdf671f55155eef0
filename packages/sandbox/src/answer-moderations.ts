import type { ServerResponse } from 'node:http'
import { answerPrompt, parseBody, type PromptDeps } from './answer-prompt.ts'
import { classifyText } from './classify-text.ts'
import type { AnswerScript } from './fault-behaviour.ts'
import { findModerationModel, type ModerationModel } from './moderation-model.ts'
import { invalidRequest, SandboxError } from './sandbox-error.ts'

interface ModerationRequest {
  readonly model: ModerationModel
  /** A result for each. */
  readonly texts: readonly string[]
}

/** Above it a text is of a category. */
const APPLIES_FROM = 0.5

/** Parts are one text; images say nothing here. */
function textsOf(input: unknown): readonly string[] {
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input) || input.length === 0) throw invalidRequest('input: expected texts')
  if (input.every((each) => typeof each === 'string')) return input
  const parts = input.map((part) => (Object(part) as { readonly text?: unknown }).text)
  return [parts.filter((text) => typeof text === 'string').join('\n')]
}

function parseRequest(body: string): ModerationRequest {
  const { model: id, input } = parseBody(body)
  const model = findModerationModel(String(id))
  if (model === null) {
    const message = `${String(id).slice(0, 200)} is not a valid model ID for moderations`
    throw new SandboxError(400, 'model_not_found', message)
  }
  return { model, texts: textsOf(input) }
}

function resultOf(text: string): object {
  const scores = classifyText(text)
  const categories = Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, score > APPLIES_FROM]))
  const types = Object.fromEntries(Object.entries(categories).map(([name, applies]) => [name, applies ? ['text'] : []]))
  return {
    flagged: Object.values(categories).some(Boolean),
    ...{ categories, category_scores: scores, category_applied_input_types: types },
  }
}

async function countTokens({ tokens }: PromptDeps, { texts, model }: ModerationRequest): Promise<number> {
  const counts = await Promise.all(texts.map((text) => tokens.count(text)))
  const longest = Math.max(...counts)
  if (longest > model.contextLength) {
    const message = `This model takes ${model.contextLength} tokens of one text, however one has ${longest}.`
    throw new SandboxError(400, 'context_length_exceeded', message)
  }
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Answers `POST /moderations` as the model that is asked for.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerModerations(deps: PromptDeps, body: string, response: ServerResponse): Promise<void> {
  const request = parseRequest(body)
  return answerPrompt(deps, request.model, response, async (script: AnswerScript) => ({
    usage: { promptTokens: await countTokens(deps, request) },
    members: { results: script.shape === 'empty' ? [] : request.texts.map(resultOf) },
  }))
}
