// The page of a running `flyball serve`: latency against its budget, rates, queue and power as they come, how to ask it and how to stop it.
import "../code.css";
import { code_box } from "../code.ts";
import { h, section } from "../dom.ts";
import { header } from "../header.ts";
import "../style.css";
import { start_theme } from "../theme.ts";
import { charts_of, front_section, type Drawn } from "./charts.ts";
import type { LiveState } from "./contract.ts";
import { connection_words, History, token_words } from "./events.ts";
import "./live.css";
import { listen } from "./stream.ts";
import { curl_line, figures_of, stop_words } from "./words.ts";

const history = new History();

function figures(state: LiveState): HTMLElement[] {
  return figures_of(state).map((f) => h("div", { class: f.unit === "" && /[a-z]/.test(f.amount) ? "figure in-words" : "figure", "data-figure": f.name },
    h("p", { class: "figure-label" }, f.label), h("p", { class: "figure-value" }, f.amount, f.unit !== "" && h("small", {}, f.unit)), h("p", { class: "spread" }, f.note)));
}

/** How to ask it and how to stop it. */
function use_section(state: LiveState, with_token: boolean): HTMLElement {
  const asking = state.services.filter((s) => s.inputs.length > 0).map((s) =>
    h("div", { class: "ask" }, h("h3", {}, `Ask ${s.name} once`), code_box(`ask ${s.name}`, curl_line(location.origin, s.name, s.inputs, with_token))));
  return section("use", "How to ask it, how to stop it", "Values are zeros here; one request may hold several samples. GET /v2/models/NAME says what a model takes, GET /metrics tells these figures to Prometheus.", ...asking, h("h3", {}, "Stop it"), h("p", { class: "hint" }, stop_words(state)));
}

/** A field for the server's token, which is hidden until it is asked for. */
function token_field(): { box: HTMLElement; ask: () => Promise<string> } {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", required: "" });
  const box = h("form", { class: "token", hidden: "" }, h("label", { for: "token" }, "Token"), field, h("button", { type: "submit" }, "Show"));
  const ask = () => new Promise<string>((given) => {
    box.hidden = false;
    field.value = "";
    field.focus();
    box.onsubmit = (event) => {
      event.preventDefault();
      box.hidden = true;
      given(field.value.trim());
    };
  });
  return { box, ask };
}

function start(): void {
  start_theme();
  const page = document.getElementById("page")!;
  const told = h("p", { class: "told", role: "status" });
  const token = token_field();
  const strip = h("div", { class: "figures" });
  const grid = h("div", { class: "live-grid" });
  const below = h("div", {});
  page.replaceChildren(header("live"), h("main", {}, section("live", "Serving and training in turns", "", told, token.box, strip, grid), below));
  let drawn: Drawn[] = [];
  let with_token = false;
  let kind = "";
  const tell = (connected: boolean) => {
    const { text, kind } = connection_words(history.states[history.states.length - 1] ?? null, connected);
    told.textContent = text;
    told.dataset["state"] = kind;
    page.classList.toggle("stale", kind === "lost" || kind === "ended");
  };
  let drawing = false;
  const draw = () => {
    drawing = false;
    const state = history.states[history.states.length - 1]!;
    strip.replaceChildren(...figures(state));
    strip.dataset["states"] = String(history.states.length);
    const shape = JSON.stringify([state.services.map((s) => s.name), state.trainings.map((t) => t.name), state.power_w === null, state.trainings.some((t) => t.loss !== null), state.front.length > 0, state.services.some((s) => s.inputs.length > 0)]);
    if (shape !== kind) {
      kind = shape;
      drawn = charts_of(history, state);
      grid.replaceChildren(...drawn.map((d) => d.box));
      const front = front_section(state);
      below.replaceChildren(...(front ? [front.box] : []), use_section(state, with_token));
      if (front) drawn.push(front);
    }
    for (const one of drawn) one.draw();
  };
  tell(false);
  void listen("/events", {
    opened: () => tell(true),
    told: (data) => {
      history.add(JSON.parse(data) as LiveState);
      tell(true);
      if (!drawing) requestAnimationFrame(draw); // once for all that came at once
      drawing = true;
    },
    lost: () => tell(false),
    token: (wrong) => {
      told.textContent = token_words(wrong);
      told.dataset["state"] = "token";
      with_token = true;
      return token.ask();
    },
  });
}

start();
