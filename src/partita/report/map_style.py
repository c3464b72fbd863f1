"""The style of the map and of what stands beside it."""

from __future__ import annotations

__all__ = ["MAP_SHEET"]

MAP_SHEET = """
[hidden] { display: none !important; }
button, input { font: inherit; color: inherit; }
button { background: var(--wash); border: 1px solid var(--line); border-radius: 6px; padding: .15rem .6rem;
  font-size: .8125rem; line-height: 1.6; cursor: pointer; }
button:hover { border-color: var(--soft); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
#theme { float: right; margin: 0 0 .5rem 1rem; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
.caption { color: var(--soft); font-size: .875rem; margin: .5rem 0; max-width: 50rem; }
.map { margin: 1rem 0; }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1.6rem; font-size: .875rem; }
.controls > div { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .6rem; }
.controls p { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
#map-threshold { width: 11rem; max-width: 100%; accent-color: var(--focus); }
#map-find { width: 10rem; padding: .15rem .5rem; background: var(--paper); border: 1px solid var(--soft);
  border-radius: 6px; }
#map-missed { color: var(--caution); }
.legend { display: flex; flex-wrap: wrap; gap: .35rem; margin: .8rem 0; max-height: 21rem; overflow-y: auto;
  padding: 4px; }
.key { display: inline-flex; align-items: center; gap: .35rem; font-variant-numeric: tabular-nums; font-weight: 600; }
.key svg { width: .8rem; height: .8rem; }
.key small { color: var(--soft); font-weight: 400; font-size: .75rem; }
.key[aria-pressed=false] { background: none; border-style: dashed; font-weight: 400; text-decoration: line-through; }
.key[aria-pressed=false] svg { fill: none !important; stroke: var(--soft); stroke-width: .3; }
.board { display: grid; grid-template-columns: minmax(0, 1fr) 16rem; gap: 0 1.2rem; align-items: start; }
.sheet { border: 1px solid var(--line); border-radius: 6px; }
#map-canvas { display: block; width: 100%; aspect-ratio: 4 / 3; touch-action: pan-y; border-radius: 6px; }
.under { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: start; gap: 0 1rem; }
.under p { flex: 1 1 14rem; }
.views { display: flex; gap: .25rem; margin: .4rem 0; }
#map-item { min-height: 17rem; font-size: .875rem; border: 1px solid var(--line); border-radius: 6px;
  padding: .2rem .8rem .6rem; background: var(--paper); overflow: hidden; }
#map-item h3 { margin: .5rem 0 .2rem; overflow-wrap: anywhere; max-height: 6em; overflow-y: auto; }
#map-item h4 { margin: .7rem 0 .2rem; font-size: .875rem; }
#map-item p { margin: .3rem 0; }
#map-item .heading { color: var(--soft); font-size: .8125rem; margin-bottom: 0; }
#map-item .invitation { color: var(--soft); }
.bars, .nearest { list-style: none; margin: .4rem 0; padding: 0; }
.bars li { display: flex; align-items: center; gap: .5rem; margin: .15rem 0; }
.bars .chip { min-width: 2.4em; }
.track { flex: 1; height: .7rem; background: var(--wash); border: 1px solid var(--line); border-radius: 3px;
  overflow: hidden; }
.fill { display: block; height: 100%; }
.value { font-variant-numeric: tabular-nums; }
.nearest li { margin: .15rem 0; overflow-wrap: anywhere; }
.link { border: 0; background: none; padding: 0; font-size: inherit; text-decoration: underline; text-align: left;
  overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
@media (max-width: 44rem) {
  .board { grid-template-columns: minmax(0, 1fr); }
  #map-canvas { aspect-ratio: 1; }
  #map-item { min-height: 13rem; }
}
@media print {
  .pictured, #theme, .controls, .legend, .views, summary, #map-help, #map-item { display: none !important; }
  .board { display: block; } }
"""
