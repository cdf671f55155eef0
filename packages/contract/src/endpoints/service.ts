import { z } from 'zod'
import { healthReply } from '../health.ts'
import type { EndpointTable } from './endpoint.ts'

export const serviceEndpoints = {
  getHealth: {
    id: 'getHealth',
    method: 'GET',
    path: '/health',
    auth: 'public',
    tag: 'Service',
    summary: 'Show whether the gateway works',
    description: 'Answers 503 with the same body when no upstream can be reached.',
    request: {},
    reply: {
      description: 'The state of the gateway.',
      json: healthReply,
      unavailable: 'No upstream can be reached, or the database does not answer.',
    },
    errors: [],
    rateClass: 'public',
  },
  getOpenApi: {
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi',
    auth: 'public',
    tag: 'Service',
    summary: 'Get this description',
    description: 'OpenAPI 3.1.0.',
    request: {},
    reply: { description: 'The OpenAPI document.', json: z.looseObject({ openapi: z.string() }) },
    errors: [],
    rateClass: 'public',
  },
} as const satisfies EndpointTable<'getHealth' | 'getOpenApi'>
