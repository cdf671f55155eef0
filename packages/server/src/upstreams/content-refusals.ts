/**
 * The words by which upstreams say that a rule about content, theirs or a model maker's, forbade a request or its
 * answer. Data: one row for each vendor, with its public source.
 *
 * Words are compared without case and without what is neither letter nor digit, so that `DataInspectionFailed` and
 * `data_inspection_failed` are one.
 */
import type { VendorWords } from './vendor-words.ts'

export const contentRefusals: readonly VendorWords[] = [
  {
    vendor: 'OpenAI',
    words: ['moderation_blocked', 'content_policy_violation', 'content_filter'],
    source: 'https://platform.openai.com/docs/guides/image-generation; Wei-Shaw/sub2api#2399',
  },
  {
    vendor: 'Azure OpenAI and Microsoft Foundry',
    words: ['content_filter', 'contentFilter', 'ResponsibleAIPolicyViolation', 'content_safety_violation'],
    source: 'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter; microsoft/PyRIT#1890',
  },
  {
    vendor: 'Google Gemini and Vertex AI',
    words: [
      'SAFETY',
      'PROHIBITED_CONTENT',
      'BLOCKLIST',
      'SPII',
      'IMAGE_SAFETY',
      'IMAGE_PROHIBITED_CONTENT',
      'MODEL_ARMOR',
    ],
    // The OpenAI-compatible form of the API puts its own reason behind OpenAI's.
    prefixes: ['content_filter: '],
    source: 'https://ai.google.dev/api/generate-content (FinishReason, BlockReason)',
  },
  {
    vendor: 'Alibaba Model Studio',
    words: ['DataInspectionFailed', 'data_inspection_failed', 'IPInfringementSuspect'],
    sentences: [
      'Input data may contain inappropriate content.',
      'Output data may contain inappropriate content.',
      'Input or output data may contain inappropriate content.',
    ],
    source: 'https://www.alibabacloud.com/help/en/model-studio/error-code',
  },
  {
    vendor: 'Volcengine Ark and BytePlus',
    words: [
      'SensitiveContentDetected',
      'InputTextRiskDetection',
      'InputImageRiskDetection',
      'OutputTextRiskDetection',
      'OutputImageRiskDetection',
    ],
    prefixes: [
      'SensitiveContentDetected.',
      'InputTextSensitiveContentDetected',
      'InputImageSensitiveContentDetected',
      'InputVideoSensitiveContentDetected',
      'InputAudioSensitiveContentDetected',
      'OutputTextSensitiveContentDetected',
      'OutputImageSensitiveContentDetected',
      'OutputVideoSensitiveContentDetected',
      'OutputAudioSensitiveContentDetected',
    ],
    source: 'https://www.volcengine.com/docs/82379/1299023',
  },
  {
    vendor: 'Zhipu',
    words: ['1301', 'sensitive'],
    source: 'https://docs.bigmodel.cn/cn/guide/platform/securityaudit.md',
  },
  {
    vendor: 'MiniMax',
    // Made of `base_resp.status_code`, which is a bare number there.
    words: ['base_resp 1026', 'base_resp 1027'],
    source: 'https://platform.minimax.io/docs/api-reference/errorcode.md',
  },
  {
    vendor: 'WaveSpeed',
    // Made of the `code` beside a failed job, which is a bare number there.
    words: ['failed 1200'],
    source: 'https://wavespeed.ai/docs/error-codes',
  },
  {
    vendor: 'Moonshot',
    words: ['content_filter'],
    source: 'https://platform.kimi.com/docs/api/errors',
  },
  {
    vendor: 'DeepSeek',
    words: [],
    sentences: ['Content Exists Risk'],
    source: 'deepseek-ai/DeepSeek-V3, issues: its table of errors has no row for it',
  },
  {
    vendor: 'StepFun',
    words: ['censorship_blocked'],
    sentences: ['The content you provided or machine outputted is blocked.'],
    source: 'https://platform.stepfun.com/docs/guide/error-codes (status 451)',
  },
  {
    vendor: 'xAI',
    words: [],
    sentences: ['Generated image rejected by content moderation.', 'Rejected by content moderation.'],
    source: 'https://docs.x.ai/docs/guides/image-generations; vercel/ai#19168',
  },
  {
    vendor: 'Together',
    words: [],
    sentences: ['NSFW content detected in prompt', 'NSFW content detected in image'],
    source: 'https://docs.together.ai/docs/error-codes: the vendor has no word for it',
  },
  {
    vendor: 'Fireworks',
    words: ['CONTENT_FILTERED'],
    source: 'https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt (Finish-Reason)',
  },
  {
    vendor: 'Stability AI',
    words: ['content_moderation', 'invalid_prompts', 'CONTENT_FILTERED'],
    source: 'https://platform.stability.ai/docs/api-reference (403 content_moderation, finish_reason CONTENT_FILTERED)',
  },
  {
    vendor: 'Black Forest Labs',
    words: ['Request Moderated', 'Content Moderated'],
    source: 'https://docs.bfl.ai/api_integration/errors',
  },
  {
    vendor: 'fal',
    words: ['content_policy_violation'],
    source: 'https://fal.ai/docs/errors',
  },
  {
    vendor: 'Replicate',
    words: ['E005'],
    sentences: ['The input or output was flagged as sensitive. Please try again with different inputs.'],
    source: 'https://replicate.com/docs/reference/error-codes',
  },
  {
    vendor: 'Runway',
    words: [],
    prefixes: ['SAFETY.INPUT.', 'SAFETY.OUTPUT.', 'INPUT_PREPROCESSING.SAFETY.'],
    source: 'https://docs.dev.runwayml.com/errors/task-failures',
  },
  {
    vendor: 'Runware',
    words: ['sensitiveContentDetected', 'invalidProviderContent'],
    source: 'https://runware.ai/docs/models-api/content-safety',
  },
  {
    vendor: 'Higgsfield',
    words: ['nsfw'],
    source: 'https://docs.higgsfield.ai (status of a job)',
  },
  {
    vendor: 'Amazon Bedrock',
    words: ['guardrail_intervened', 'content_filtered'],
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (stopReason)',
  },
  {
    vendor: 'Anthropic',
    words: [],
    sentences: ['Output blocked by content filtering policy'],
    source: 'https://docs.claude.com/en/api/errors; the API says it in a sentence alone',
  },
  {
    vendor: 'Tencent Hunyuan',
    words: [],
    prefixes: ['OperationDenied.TextIllegalDetected', 'OperationDenied.ImageIllegalDetected'],
    source: 'https://cloud.tencent.com/document/api/1729/101843',
  },
]
