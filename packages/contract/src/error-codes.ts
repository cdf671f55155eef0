/** The `type` field of an error body: the classes that the OpenAI clients know. */
export type ErrorType =
  | 'invalid_request_error'
  | 'insufficient_quota'
  | 'permission_error'
  | 'rate_limit_error'
  | 'server_error'
  | 'service_unavailable_error'

/**
 * Every code that an error body can carry, with the status and type that belong to it. Nothing else maps codes to
 * statuses. `docs/errors.md` explains each and is compared with this table by a test.
 */
export const errorCodes = {
  invalid_json: { status: 400, type: 'invalid_request_error' },
  invalid_form: { status: 400, type: 'invalid_request_error' },
  missing_required_parameter: { status: 400, type: 'invalid_request_error' },
  invalid_value: { status: 400, type: 'invalid_request_error' },
  unsupported_parameter: { status: 400, type: 'invalid_request_error' },
  unsupported_format: { status: 400, type: 'invalid_request_error' },
  empty_content: { status: 400, type: 'invalid_request_error' },
  context_length_exceeded: { status: 400, type: 'invalid_request_error' },
  content_policy_violation: { status: 400, type: 'invalid_request_error' },
  invalid_request: { status: 400, type: 'invalid_request_error' },
  upstream_rejected_request: { status: 400, type: 'invalid_request_error' },
  not_signed_in: { status: 401, type: 'invalid_request_error' },
  sign_in_again: { status: 401, type: 'invalid_request_error' },
  invalid_api_key: { status: 401, type: 'invalid_request_error' },
  insufficient_credits: { status: 402, type: 'insufficient_quota' },
  key_budget_exceeded: { status: 402, type: 'insufficient_quota' },
  team_budget_exceeded: { status: 402, type: 'insufficient_quota' },
  model_not_allowed: { status: 403, type: 'permission_error' },
  key_scope_denied: { status: 403, type: 'permission_error' },
  invalid_signature: { status: 403, type: 'permission_error' },
  foreign_origin: { status: 403, type: 'permission_error' },
  role_denied: { status: 403, type: 'permission_error' },
  account_suspended: { status: 403, type: 'permission_error' },
  model_not_found: { status: 404, type: 'invalid_request_error' },
  team_not_found: { status: 404, type: 'invalid_request_error' },
  key_not_found: { status: 404, type: 'invalid_request_error' },
  account_not_found: { status: 404, type: 'invalid_request_error' },
  operator_not_found: { status: 404, type: 'invalid_request_error' },
  session_not_found: { status: 404, type: 'invalid_request_error' },
  deposit_not_found: { status: 404, type: 'invalid_request_error' },
  transaction_not_found: { status: 404, type: 'invalid_request_error' },
  wallet_not_found: { status: 404, type: 'invalid_request_error' },
  wallet_not_linked: { status: 403, type: 'permission_error' },
  usage_not_found: { status: 404, type: 'invalid_request_error' },
  file_not_found: { status: 404, type: 'invalid_request_error' },
  job_not_found: { status: 404, type: 'invalid_request_error' },
  content_expired: { status: 404, type: 'invalid_request_error' },
  unknown_url: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  request_timeout: { status: 408, type: 'invalid_request_error' },
  job_not_completed: { status: 409, type: 'invalid_request_error' },
  wallet_already_linked: { status: 409, type: 'invalid_request_error' },
  account_closed: { status: 409, type: 'invalid_request_error' },
  balance_too_low: { status: 409, type: 'invalid_request_error' },
  deposit_not_decidable: { status: 409, type: 'invalid_request_error' },
  last_operator: { status: 409, type: 'invalid_request_error' },
  job_not_cancelled: { status: 409, type: 'invalid_request_error' },
  idempotency_key_in_use: { status: 409, type: 'invalid_request_error' },
  idempotency_answer_gone: { status: 409, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  range_not_satisfiable: { status: 416, type: 'invalid_request_error' },
  unsupported_media_type: { status: 400, type: 'invalid_request_error' },
  chain_not_enabled: { status: 422, type: 'invalid_request_error' },
  asset_not_enabled: { status: 422, type: 'invalid_request_error' },
  transaction_reverted: { status: 422, type: 'invalid_request_error' },
  wallet_not_proven: { status: 422, type: 'invalid_request_error' },
  unsupported_token: { status: 422, type: 'invalid_request_error' },
  asset_mismatch: { status: 422, type: 'invalid_request_error' },
  amount_below_minimum: { status: 422, type: 'invalid_request_error' },
  claim_rate_limited: { status: 429, type: 'rate_limit_error' },
  idempotency_key_reused: { status: 422, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'server_error' },
  upstream_error: { status: 502, type: 'server_error' },
  upstream_empty: { status: 502, type: 'server_error' },
  upstream_unavailable: { status: 503, type: 'service_unavailable_error' },
  chain_unavailable: { status: 503, type: 'service_unavailable_error' },
  server_is_overloaded: { status: 503, type: 'service_unavailable_error' },
  upstream_timeout: { status: 504, type: 'server_error' },
} as const satisfies Record<string, { readonly status: number; readonly type: ErrorType }>

export type ErrorCode = keyof typeof errorCodes
