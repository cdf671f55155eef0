import { receiptBody } from '../log/receipt.ts'
import { receiptPath, tilePath } from '../receipts.ts'
import type { EndpointTable } from './endpoint.ts'

const onLog = {
  method: 'GET',
  auth: 'key',
  tag: 'Log',
  rateClass: 'keyed',
} as const

export const logEndpoints = {
  getReceipt: {
    ...onLog,
    id: 'getReceipt',
    path: '/v1/receipts/{receipt_id}',
    right: 'inference',
    summary: 'Get the receipt of a request, a deposit, a grant or an adjustment',
    description:
      'What was booked, its record with quantities and prices, and the proof that it is a leaf of the ledger log. ' +
      '`svc receipt verify` checks it offline. A request belongs to the key in use; what is no request needs the right ' +
      '`deposits`. 409 within the second before it is in the log.',
    request: { path: receiptPath },
    reply: { description: 'The receipt.', json: receiptBody },
    errors: ['usage_not_found', 'receipt_pending'],
  },
  getLogCheckpoint: {
    ...onLog,
    id: 'getLogCheckpoint',
    path: '/log/checkpoint',
    summary: 'Get the last signed checkpoint of the ledger log',
    description: 'A signed note of c2sp.org/tlog-checkpoint. Needs no key where the operator publishes the log.',
    request: {},
    reply: {
      description: 'The checkpoint.',
      bytes: { types: ['text/plain'], description: 'Origin, size, root, and signatures.' },
    },
    errors: [],
  },
  getLogTile: {
    ...onLog,
    id: 'getLogTile',
    path: '/log/tile/{id}',
    summary: 'Get a tile of the ledger log',
    description:
      'Hashes of c2sp.org/tlog-tiles, up to 256 of 32 bytes. There are no entry bundles: an entry is its account’s ' +
      'alone. Needs no key where the operator publishes the log.',
    request: { path: tilePath },
    reply: {
      description: 'The tile.',
      bytes: { types: ['application/octet-stream'], description: 'The hashes, one after the other.' },
    },
    errors: ['file_not_found'],
  },
  getLogKey: {
    ...onLog,
    id: 'getLogKey',
    path: '/log/key',
    summary: 'Get the keys that sign the ledger log',
    description:
      'Verifier keys of c2sp.org/signed-note, a line each, the present one first. Take them over once, by a way that ' +
      'you trust. Needs no key of the gateway where the operator publishes the log.',
    request: {},
    reply: { description: 'The keys.', bytes: { types: ['text/plain'], description: 'A line for each key.' } },
    errors: [],
  },
} as const satisfies EndpointTable<'getReceipt' | 'getLogCheckpoint' | 'getLogTile' | 'getLogKey'>
