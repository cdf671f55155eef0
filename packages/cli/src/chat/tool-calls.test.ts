import { expect, test } from 'vitest'
import { openCalls, toolCallForPrograms, ToolCallCollector, toolCallsOf, toolResult } from './tool-calls.ts'

const call = (id: string, name: string, given: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: given },
})

test('pieces of calls are put together by their index', () => {
  const collector = new ToolCallCollector()
  for (const piece of [
    { index: 1, id: 'b', function: { name: 'two', arguments: '' } },
    { index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } },
    { index: 0, function: { arguments: ':1}' } },
    { index: 1, function: { arguments: '{}' } },
  ]) {
    collector.take({ tool_calls: [piece] })
  }
  expect(collector.calls()).toEqual([call('a', 'one', '{"x":1}'), call('b', 'two', '{}')])
})

test('whole calls need no index, and what is no call is none', () => {
  const calls = [call('a', 'one', '{}'), call('b', 'two', '{}')]
  expect(toolCallsOf({ tool_calls: calls })).toEqual(calls)
  expect(toolCallsOf({ tool_calls: 'x' })).toEqual([])
  expect(toolCallsOf(undefined)).toEqual([])
})

test('programs read arguments as values, and what is no JSON as it is', () => {
  expect(toolCallForPrograms(call('a', 'one', '{"x":1}'))).toEqual({ id: 'a', name: 'one', arguments: { x: 1 } })
  expect(toolCallForPrograms(call('a', 'one', '{"x"'))).toEqual({ id: 'a', name: 'one', arguments: '{"x"' })
})

test('calls wait until each has its result', () => {
  const asked = [
    { role: 'user' as const, content: 'x' },
    { role: 'assistant' as const, content: null, tool_calls: [call('a', 'one', '{}'), call('b', 'two', '{}')] },
  ]
  expect(openCalls(asked).map(({ id }) => id)).toEqual(['a', 'b'])
  expect(openCalls([...asked, toolResult('a', '1')]).map(({ id }) => id)).toEqual(['b'])
  expect(openCalls([...asked, toolResult('a', '1'), toolResult('b', '2')])).toEqual([])
  expect(openCalls([])).toEqual([])
})

test('what goes with a call goes back with it: a model may refuse its own call without', () => {
  const signed = { extra_content: { google: { thought_signature: 'c2lnbmVk' } } }
  const collector = new ToolCallCollector()
  collector.take({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }] })
  collector.take({ tool_calls: [{ index: 0, function: { arguments: '{}' }, ...signed }] })
  expect(collector.calls()).toEqual([{ ...call('a', 'one', '{}'), ...signed }])
  expect(toolCallsOf({ tool_calls: [{ ...call('a', 'one', '{}'), ...signed }] })).toEqual(collector.calls())
})
