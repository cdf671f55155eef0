/**
 * What clients were told, the ledger, and the upstream's invoice, against each other. What is no fault but not the
 * plain case either has a name and is counted.
 */
import { JOBS_OWNER } from '../../../packages/server/src/money/ledger/hold-owner.ts'
import { type MatchedRows, matchRows } from './match-rows.ts'
import type { PaidAttempt } from './paid-client.ts'
import { isStream } from './paid-kinds.ts'
import type { PaidStory } from './paid-load.ts'
import { dueOf, mostOf, type PaidPlan } from './paid-plan.ts'
import type { PaidLine } from './paid-upstream.ts'
import type { RoundBooks, RoundUsage } from './round-books.ts'

export interface RoundEvidence {
  readonly stories: readonly PaidStory[]
  readonly lines: readonly PaidLine[]
  readonly planOf: (tag: number) => PaidPlan
  readonly books: RoundBooks
  /** Nanocredits that each account had at the start. */
  readonly grants: ReadonlyMap<string, bigint>
  /** A process was ended or cut off for long: what was not noted by then can be lost. */
  readonly losesProcess: boolean
}

export interface RoundVerdict {
  readonly faults: readonly string[]
  /** How often each named exception was seen. */
  readonly exceptions: ReadonlyMap<string, number>
}

/** Every request can end with these when something is broken; all are safe to repeat. */
const TRANSIENT = new Set(['server_is_overloaded', 'idempotency_key_in_use', 'idempotency_answer_gone'])

interface Indexed extends RoundEvidence, MatchedRows {
  readonly usageById: ReadonlyMap<string, RoundUsage>
  readonly chargesByHold: ReadonlyMap<string, readonly bigint[]>
  readonly holdByJob: ReadonlyMap<string, string>
}

interface Findings {
  readonly faults: string[]
  readonly exceptions: Map<string, number>
}

function note({ exceptions }: Findings, name: string): void {
  exceptions.set(name, (exceptions.get(name) ?? 0) + 1)
}

function describe({ tag, kind, end, requestId, status, errorCode, name }: PaidAttempt): string {
  const said = `${end}, status ${status}${errorCode === null ? '' : ` ${errorCode}`}`
  return `question ${tag} (${kind}${name === null ? '' : ', named'}; ${said}; request ${requestId})`
}

/** An answer that came whole is in the ledger once, with the charge that it reported, which is the invoice's. */
function judgeWhole(evidence: Indexed, attempt: PaidAttempt, findings: Findings): void {
  const { tag, charge, requestId } = attempt
  const plan = evidence.planOf(tag)
  const usage = evidence.usageById.get(requestId ?? '')
  if (plan.behaviour === 'cut' || plan.behaviour === 'error_status') {
    findings.faults.push(`${describe(attempt)} was answered whole, and the upstream did not deliver it`)
    return
  }
  if (usage === undefined) {
    findings.faults.push(`${describe(attempt)} saw the charge ${charge} and is not in the ledger`)
    return
  }
  const booked = (evidence.chargesByHold.get(usage.usage_id) ?? []).filter((each) => each > 0n)
  const isOnce = booked.length === (usage.charge === 0n ? 0 : 1) && (booked[0] ?? 0n) === usage.charge
  if (!isOnce) findings.faults.push(`${describe(attempt)} has ${booked.length} transfers: ${booked.join(', ')}`)
  const isSwept = usage.error_code === 'gateway_stopped' && evidence.losesProcess
  if (usage.charge !== charge && attempt.isPending && isSwept) {
    note(findings, 'reported as pending, and settled by another process before')
  } else if (usage.charge !== charge) {
    findings.faults.push(
      `${describe(attempt)} saw the charge ${charge} and was charged ${usage.charge} (${usage.error_code})`,
    )
  }
  if (attempt.isPending) note(findings, 'reported as pending, charged later')
  const due = dueOf(plan, tag)
  if (usage.charge + usage.write_off === due) {
    if (usage.write_off > 0n) note(findings, 'delivered whole, written off in part')
  } else if (isSwept) {
    note(findings, 'delivered whole, settled by another process for less')
  } else {
    const row = `${usage.charge} and ${usage.write_off} written off (${usage.status}, ${usage.error_code})`
    findings.faults.push(`${describe(attempt)} has ${row}; ${due} is due`)
  }
}

function judgeRefused(evidence: Indexed, attempt: PaidAttempt, findings: Findings): void {
  const usage = evidence.usageById.get(attempt.requestId ?? '')
  const { behaviour } = evidence.planOf(attempt.tag)
  const { status, errorCode } = attempt
  const isTransient = errorCode !== null && TRANSIENT.has(errorCode)
  const isUpstream = behaviour === 'cut' || behaviour === 'error_status'
  if (status === 500 || errorCode === 'internal_error' || (!isTransient && !isUpstream)) {
    findings.faults.push(`${describe(attempt)} is no answer to what has happened`)
  }
  if (usage !== undefined && usage.charge > 0n) {
    findings.faults.push(`${describe(attempt)} was refused and is charged ${usage.charge}`)
  }
  note(findings, `refused: ${isUpstream && !isTransient ? 'as the upstream did' : errorCode}`)
  if (usage !== undefined && usage.write_off > 0n) note(findings, 'refused, written off')
}

/** An answer that did not come whole costs at most what it would have cost. */
function judgePart(evidence: Indexed, attempt: PaidAttempt, story: PaidStory, findings: Findings): void {
  if (attempt.errorCode === 'internal_error') findings.faults.push(`${describe(attempt)} ended in a fault`)
  if (attempt.requestId === null) return note(findings, `${attempt.end}: before any answer`)
  const usage = evidence.usageById.get(attempt.requestId)
  const plan = evidence.planOf(attempt.tag)
  const due = dueOf(plan, attempt.tag)
  const most = mostOf(plan, attempt.tag, story.question.request.body.length)
  if (usage !== undefined && usage.charge > most) {
    findings.faults.push(`${describe(attempt)} is charged ${usage.charge}; at most ${most} is due`)
  }
  const told = attempt.charge
  if (told !== null && attempt.end === 'failed_stream' && told !== (usage?.charge ?? 0n)) {
    findings.faults.push(`${describe(attempt)} saw the charge ${told} and was charged ${usage?.charge}`)
  }
  const charge = usage?.charge ?? 0n
  const cause = plan.behaviour === 'cut' ? 'as the upstream did' : attempt.errorCode
  const end = cause === null || attempt.end === 'left' ? attempt.end : `${attempt.end}, ${cause}`
  note(findings, `${end}: ${charge === 0n ? 'free' : charge === due ? 'charged in full' : 'charged in part'}`)
}

function judgeVideo(evidence: Indexed, story: PaidStory, findings: Findings): void {
  const { tag } = story.question
  const plan = evidence.planOf(tag)
  for (const attempt of story.attempts) {
    if (attempt.end === 'refused') judgeRefused(evidence, attempt, findings)
    if (attempt.end !== 'whole') continue
    const usage = evidence.usageById.get(evidence.holdByJob.get(attempt.jobId ?? '') ?? '')
    const told = story.video
    if (told === null || told.state !== 'completed') {
      findings.faults.push(`${describe(attempt)} is a video that is ${told?.state ?? 'unknown'}`)
    } else if (told.charge !== usage?.charge || usage.charge !== dueOf(plan, tag)) {
      const due = dueOf(plan, tag)
      findings.faults.push(
        `${describe(attempt)} saw the charge ${told.charge}, was charged ${usage?.charge}; ${due} is due`,
      )
    }
  }
}

function judgeStory(evidence: Indexed, story: PaidStory, findings: Findings): void {
  for (const attempt of story.attempts) {
    if (attempt.end === 'hung' || attempt.end === 'nonsense') findings.faults.push(describe(attempt))
    else if (story.question.kind === 'video') continue
    else if (attempt.end === 'whole') judgeWhole(evidence, attempt, findings)
    else if (attempt.end === 'refused') judgeRefused(evidence, attempt, findings)
    else judgePart(evidence, attempt, story, findings)
  }
  if (story.question.kind === 'video') judgeVideo(evidence, story, findings)
}

/** No question is charged more often than it was sent, and a named one once; what was delivered whole is not free. */
function judgeTag(evidence: Indexed, story: PaidStory, findings: Findings): void {
  const { tag, name, kind } = story.question
  const rows = evidence.rowsByTag.get(tag) ?? []
  const paid = rows.filter(({ charge }) => charge > 0n)
  const most = name === null ? story.attempts.length : 1
  if (paid.length > most) {
    const ids = paid.map((row) => `${row.usage_id} (${row.charge}, ${row.error_code})`).join(' and ')
    findings.faults.push(`question ${tag} (${kind}${name === null ? '' : ', named'}) is charged as ${ids}`)
  }
  const delivered = evidence.lines.filter((line) => line.tag === tag && line.isWhole).length
  const answered = rows.filter(({ charge, write_off: lost }) => charge + lost > 0n).length
  if (delivered <= answered) return
  // A client that leaves a stream ends it: what the upstream had on its way then was not received by the gateway.
  const left = isStream(kind) ? story.attempts.filter(({ end }) => end === 'left').length : 0
  if (delivered - answered <= left) {
    return note(findings, 'left: what was on its way is free')
  }
  note(findings, 'delivered by the upstream and free')
  if (!evidence.losesProcess) {
    const ends = story.attempts.map(describe).join('; ')
    findings.faults.push(`the upstream delivered ${delivered}, ${answered} are in the ledger: ${ends}`)
  }
}

/** Rows that no client knows by an id still belong to a request that a client sent without an answer. */
function judgeRows(evidence: Indexed, findings: Findings): void {
  const known = new Set([...evidence.rowsByTag.values()].flatMap((rows) => rows.map(({ usage_id: id }) => id)))
  const jobs = new Set(evidence.holdByJob.values())
  for (const row of evidence.books.usage) {
    if (evidence.parts.has(row.usage_id)) note(findings, 'cut, charged in part; its client left before it knew an id')
    if (known.has(row.usage_id) || row.charge === 0n) continue
    if (jobs.has(row.usage_id)) note(findings, 'a video whose client knows no id')
    else note(findings, 'charged in part, its client knows no id')
    if (!evidence.losesProcess) {
      findings.faults.push(`record ${row.usage_id} (${row.type}, ${row.charge}, ${row.error_code}) is nobody's`)
    }
  }
}

function judgeBalances({ books, grants }: Indexed, findings: Findings): void {
  for (const hold of books.holds.filter(({ state }) => state === 'held')) {
    if (hold.process_id === JOBS_OWNER) note(findings, 'a video that is still being submitted')
    else findings.faults.push(`hold ${hold.hold_id} is open`)
  }
  for (const { account_id: id, posted, held } of books.balances) {
    const rows = books.usage.filter((row) => row.account_id === id)
    const due = (grants.get(id) ?? 0n) - rows.reduce((sum, row) => sum + row.charge, 0n)
    const open = books.holds
      .filter((hold) => hold.account_id === id && hold.state === 'held')
      .reduce((sum, hold) => sum + hold.amount, 0n)
    if (posted === due && held === open) continue
    findings.faults.push(`account ${id} has ${posted} posted and ${held} held; ${due} and ${open} are due`)
  }
}

/** Compares everything. */
export function judgeRound(evidence: RoundEvidence): RoundVerdict {
  const { books } = evidence
  const chargesByHold = new Map<string, bigint[]>()
  for (const { hold_id: id, charge } of books.transfers) {
    if (id !== null) chargesByHold.set(id, [...(chargesByHold.get(id) ?? []), charge])
  }
  const holdByJob = new Map(books.jobs.map(({ job_id: job, hold_id: hold }) => [job, hold]))
  const indexed: Indexed = {
    ...evidence,
    ...{ chargesByHold, holdByJob, ...matchRows({ ...evidence, holdByJob }) },
    usageById: new Map(books.usage.map((row) => [row.usage_id, row])),
  }
  const findings: Findings = { faults: [], exceptions: new Map() }
  for (const story of evidence.stories) {
    judgeStory(indexed, story, findings)
    judgeTag(indexed, story, findings)
  }
  judgeRows(indexed, findings)
  judgeBalances(indexed, findings)
  return findings
}
