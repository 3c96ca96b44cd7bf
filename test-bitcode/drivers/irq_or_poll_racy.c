// irkiss: ; expect: race ; lazy: yes
//
// As irq_or_poll_safe.c, but a charger whose interrupt is numbered 3 is polled as well.
#include "irq_or_poll.h"

static irqreturn_t charger_irq(int irq, void *data)
{
	struct charger *charger = data;

	charger->online = 1; // RACE
	return IRQ_HANDLED;
}

static int charger_poll(void *data)
{
	struct charger *charger = data;

	spin_lock(&charger->lock);
	charger->polls++; // NORACE
	spin_unlock(&charger->lock);
	return charger->online; // RACE
}

static int charger_probe(struct platform_device *pdev)
{
	struct charger *charger = devm_kzalloc(&pdev->dev, sizeof(*charger), GFP_KERNEL);
	int irq = platform_get_irq(pdev, 0);

	if (!charger)
		return -ENOMEM;
	spin_lock_init(&charger->lock);
	platform_set_drvdata(pdev, charger);
	if (irq < 0)
		return charger_poll_begin(charger);
	if (irq == 3) {
		int error = charger_poll_begin(charger);

		if (error)
			return error;
	}
	return devm_request_threaded_irq(&pdev->dev, irq, NULL, charger_irq, IRQF_ONESHOT, "charger", charger);
}
