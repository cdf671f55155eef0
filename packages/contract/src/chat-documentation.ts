import { z } from 'zod'
import { chatRequest } from './chat.ts'

const PASSED_ON = 'Passed on to the upstream unchecked.'

/**
 * The chat request as the OpenAPI document shows it: the fields that the gateway reads, and the well-known ones that it
 * passes on.
 *
 * For reading only. The server checks with `chatRequest`, since what is passed on is the upstream's to judge.
 */
export const documentedChatRequest = chatRequest
  .extend({
    temperature: z.number().nullish().describe(`Usually 0 to 2. ${PASSED_ON}`),
    top_p: z.number().nullish().describe(PASSED_ON),
    top_k: z.number().nullish().describe(PASSED_ON),
    frequency_penalty: z.number().nullish().describe(PASSED_ON),
    presence_penalty: z.number().nullish().describe(PASSED_ON),
    seed: z.number().nullish().describe(PASSED_ON),
    logprobs: z.boolean().nullish().describe(PASSED_ON),
    top_logprobs: z.number().nullish().describe(PASSED_ON),
    logit_bias: z.looseObject({}).nullish().describe(PASSED_ON),
    tool_choice: z
      .union([z.string(), z.looseObject({})])
      .nullish()
      .describe(PASSED_ON),
    parallel_tool_calls: z.boolean().nullish().describe(PASSED_ON),
    response_format: z
      .looseObject({ type: z.string() })
      .nullish()
      .describe(`text, json_object, or json_schema with its schema. ${PASSED_ON}`),
    reasoning_effort: z.string().nullish().describe(PASSED_ON),
    verbosity: z.string().nullish().describe(PASSED_ON),
  })
  .meta({ id: 'ChatRequest' })
