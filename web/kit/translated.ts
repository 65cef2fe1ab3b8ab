type Child = { readonly parentNode: unknown };
type Parent = {
  removeChild(child: Child): Child;
  insertBefore(child: Child, before: Child | null | undefined): Child;
};

/**
 * Keeps React working on a page that the browser translates. Pass `Node.prototype`. A translator replaces text nodes with its own elements.
 * When React later removes a replaced text node, or inserts before it, the browser throws an error because that node is no longer a child
 * of its parent. The page then becomes blank. With this patch, removing such a node does nothing, and inserting before it appends at the
 * end. Translators skip elements with `translate="no"` (amounts, codes, names), so these always show the current value.
 */
export function surviveTranslation(node: Parent): void {
  const { removeChild, insertBefore } = node;
  node.removeChild = function (this: Parent, child) {
    return child.parentNode === this ? removeChild.call(this, child) : child;
  };
  node.insertBefore = function (this: Parent, child, before) {
    // `before` can be undefined, because the chart library passes undefined to append.
    const isThere = before != null && before.parentNode === this;
    return insertBefore.call(this, child, isThere ? before : null);
  };
}
