import { modelEntry, modelList, modelPath, modelsQuery } from '../models.ts'
import type { EndpointTable } from './endpoint.ts'

export const modelsEndpoints = {
  listModels: {
    id: 'listModels',
    method: 'GET',
    path: '/v1/models',
    auth: 'public',
    tag: 'Models',
    summary: 'List the models',
    description:
      'Everything that a key can address, the featured aliases first. Not paged unless `limit` is given. With the ' +
      'header `anthropic-version` the list has the form of Anthropic, too: the models that chat, before them the names ' +
      'that its clients ask for.',
    request: { query: modelsQuery },
    reply: { description: 'The models.', json: modelList },
    errors: ['invalid_value'],
    rateClass: 'public',
  },
  getModel: {
    id: 'getModel',
    method: 'GET',
    path: '/v1/models/{id}',
    auth: 'public',
    tag: 'Models',
    summary: 'Show one model',
    description: 'Slashes in the id may be written raw or as `%2F`.',
    request: { path: modelPath },
    reply: { description: 'The model.', json: modelEntry },
    errors: ['model_not_found'],
    rateClass: 'public',
  },
} as const satisfies EndpointTable<'listModels' | 'getModel'>
