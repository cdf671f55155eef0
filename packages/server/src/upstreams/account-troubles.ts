/**
 * The words by which upstreams say that they do not serve our account: its key, its credit, its limits, its standing.
 * Some say so under a status of a refused request. Data: one row for each vendor, with its public source.
 */
import { type VendorWords, WordTable } from './vendor-words.ts'

export const accountTroubles: readonly VendorWords[] = [
  {
    vendor: 'OpenAI',
    words: [
      'insufficient_quota',
      'invalid_api_key',
      'billing_not_active',
      'billing_hard_limit_reached',
      'account_deactivated',
      'access_terminated',
      'credit_balance_exhausted',
      'organization_spend_limit_exceeded',
      'project_spend_limit_exceeded',
      'organization_usage_limit_exceeded',
    ],
    sentences: ['Billing hard limit has been reached'],
    source: 'https://developers.openai.com/api/docs/guides/error-codes',
  },
  {
    vendor: 'Anthropic',
    words: ['authentication_error', 'billing_error'],
    sentences: [
      'Your credit balance is too low to access the {}',
      'You have reached your specified API usage limits. You will regain access on {}',
      'This organization has been disabled.',
    ],
    source: 'anthropics/claude-code#66314, #38038: status 400, type invalid_request_error',
  },
  {
    vendor: 'Google Gemini and Vertex AI',
    words: [
      'API_KEY_INVALID',
      'API_KEY_SERVICE_BLOCKED',
      'API_KEY_HTTP_REFERRER_BLOCKED',
      'API_KEY_IP_ADDRESS_BLOCKED',
      'BILLING_DISABLED',
      'SERVICE_DISABLED',
      'CONSUMER_INVALID',
      'CONSUMER_SUSPENDED',
    ],
    sentences: [
      'API key not valid. Please pass a valid API key.',
      'API Key not found. Please pass a valid API key.',
      'API key expired. Please renew the API key.',
      'Your API key was reported as leaked. Please use another API key.',
      'User location is not supported for the API use.',
    ],
    source: 'https://cloud.google.com/apis/design/errors (google.api.ErrorReason); status 400, INVALID_ARGUMENT',
  },
  {
    vendor: 'Alibaba Model Studio',
    words: ['Arrearage', 'InvalidApiKey'],
    sentences: [
      'Access denied, please make sure your account is in good standing.',
      'Access denied, please make sure your account is in good standing. For details, see: {}',
    ],
    source: 'https://www.alibabacloud.com/help/en/model-studio/error-code; hsliuping/TradingAgents-CN#170: status 400',
  },
  {
    vendor: 'Volcengine Ark and BytePlus',
    words: ['AccountOverdueError', 'AuthenticationError', 'InvalidAccountStatus'],
    source: 'https://www.volcengine.com/docs/82379/1299023',
  },
  {
    vendor: 'Zhipu',
    words: ['1113'],
    source: 'https://docs.bigmodel.cn/cn/api/api-code: the balance is used up, status 429',
  },
  {
    vendor: 'MiniMax',
    // Made of `base_resp.status_code`, in an answer of status 200.
    words: ['base_resp 1004', 'base_resp 1008', 'base_resp 2049'],
    source: 'https://platform.minimax.io/docs/api-reference/errorcode.md',
  },
  {
    vendor: 'Moonshot',
    words: ['exceeded_current_quota_error', 'invalid_authentication_error'],
    source: 'https://platform.kimi.com/docs/api/errors',
  },
  {
    vendor: 'DeepSeek',
    words: [],
    sentences: ['Insufficient Balance', 'Authentication Fails', 'Authentication Fails{}'],
    source: 'https://api-docs.deepseek.com/quick_start/error_codes',
  },
  {
    vendor: 'SiliconFlow',
    words: [],
    sentences: ['Sorry, your account balance is insufficient'],
    source: 'https://docs.siliconflow.com/en/faqs/error-code',
  },
  {
    vendor: 'Novita',
    words: ['NOT_ENOUGH_BALANCE'],
    source: 'https://novita.ai/docs/api-reference/basic-error-code',
  },
  {
    vendor: 'Groq',
    words: ['organization_restricted', 'blocked_api_access'],
    sentences: ['Organization has been restricted. Please reach out to support if you believe this was in error.'],
    source: 'https://console.groq.com/docs/errors: status 400',
  },
  {
    vendor: 'Fireworks',
    words: [],
    sentences: [
      'Account {} is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. ' +
        'Please go to https://fireworks.ai/account/billing for more information.',
    ],
    source: 'https://docs.fireworks.ai/guides/inference-error-codes: status 412',
  },
  {
    vendor: 'xAI',
    words: [],
    sentences: ['Incorrect API key provided: {}. You can obtain an API key from https://console.x.ai.'],
    source: 'https://docs.x.ai/docs/key-information/debugging: status 400',
  },
  {
    vendor: 'Cerebras',
    words: ['wrong_api_key'],
    source: 'https://inference-docs.cerebras.ai/support/error',
  },
  {
    vendor: 'OpenRouter and other routers',
    words: ['payment_required', 'insufficient_credits', 'insufficient_balance', 'insufficient_funds', 'authentication'],
    source: 'https://openrouter.ai/docs/api-reference/errors',
  },
]

const troubles = new WordTable(accountTroubles, { readsQuoted: false })

/** Whether the body of a failure says that our account with the upstream is the trouble. */
export function isAccountTrouble(value: unknown): boolean {
  return troubles.isSaidIn(value)
}
