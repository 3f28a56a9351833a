import assert from "node:assert/strict";
import { test } from "node:test";
import { EventText } from "./stream.ts";

test("events are told whole and once, wherever the pieces end", () => {
  const sent = 'data: {"a":1}\n\ndata: {"b":2}\n\n: nobody\n\ndata: 3\n\ndata: cut';
  for (let size = 1; size <= sent.length; size++) {
    const text = new EventText();
    const told: string[] = [];
    for (let at = 0; at < sent.length; at += size) told.push(...text.add(sent.slice(at, at + size)));
    assert.deepEqual(told, ['{"a":1}', '{"b":2}', "3"], `pieces of ${size}`);
  }
});
