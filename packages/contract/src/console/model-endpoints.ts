import type { ConsoleTable } from './console-endpoint.ts'
import { modelPrice, modelPriceQuery } from './model-price.ts'

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
} as const satisfies ConsoleTable<'getModelPrice'>
