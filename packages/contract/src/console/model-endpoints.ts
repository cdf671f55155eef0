import type { ConsoleTable } from './console-endpoint.ts'
import { modelPrice, modelPriceQuery } from './model-price.ts'
import { requestPrice, requestPriceQuery } from './request-price.ts'
import { modelSpeeds, modelSpeedsQuery } from './timings.ts'

export const modelPriceEndpoints = {
  getModelPrice: {
    id: 'getModelPrice',
    method: 'GET',
    path: '/console/model-price',
    permission: null,
    request: { query: modelPriceQuery },
    reply: { description: 'What so many requests cost, by the rules that charge them.', json: modelPrice },
    errors: ['model_not_found'],
  },
  /** Prices are public: the terminal client asks without a key. */
  getRequestPrice: {
    id: 'getRequestPrice',
    method: 'GET',
    path: '/console/request-price',
    permission: 'public',
    request: { query: requestPriceQuery },
    reply: { description: 'What one request can cost, by the rules that hold and charge it.', json: requestPrice },
    errors: ['model_not_found', 'invalid_value', 'unsupported_parameter'],
  },
  listModelSpeeds: {
    id: 'listModelSpeeds',
    method: 'GET',
    path: '/console/model-speeds',
    permission: null,
    request: { query: modelSpeedsQuery },
    reply: { description: 'How fast models were here, and how often they answered.', json: modelSpeeds },
    errors: [],
  },
} as const satisfies ConsoleTable<'getModelPrice' | 'getRequestPrice' | 'listModelSpeeds'>
