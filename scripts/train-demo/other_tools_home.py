"""More hand-written training tools: home, kitchen, garden, travel, cars, shops, health, sport. See other_tools.py."""

TOOLS = """
dim_lights(room: string=room, level: integer=percent, seconds?: integer=small) - Dim the lights of a room to a level.
? Dim the {room} lights to {level} percent; It is too bright in the {room}, dim to {level}; Lower the lights in the {room} to {level} over {seconds} seconds; Lights in the {room} down to {level}%; {level} percent light is enough in the {room}; Within {seconds} seconds, dim the {room} to {level}
! control lights and switch lights
open_blinds(room: string=room, percent?: integer=percent) - Open the window blinds of a room.
? Open the blinds in the {room}; Let some sun into the {room}; Blinds in the {room} up to {percent} percent; Raise the {room} blinds; I want to look out of the {room} window, open the blinds {percent}%; {room}: blinds open, {percent} percent
! control the blinds and curtains
start_washing_machine(program: "cotton"|"wool"|"synthetics"|"quick"=enum, degrees?: integer=small, delay_hours?: integer=small) - Start the washing machine.
? Wash on {program}; Start the {program} wash; The laundry is in, run {program} at {degrees} degrees; Do a {program} wash in {delay_hours} hours; Washing machine: {program}, {degrees} degrees; I need clean clothes, use the {program} program; In {delay_hours} hours run the {program} program at {degrees} degrees
! wash clothes and start the laundry
preheat_oven(degrees: integer=oven, mode?: "fan"|"grill"|"conventional"=enum) - Preheat the oven.
? Preheat the oven to {degrees}; Oven on, {degrees} degrees; I'm about to bake, get the oven to {degrees}; Heat the oven to {degrees} with {mode}; Use {mode} and bring the oven to {degrees} degrees; Can the oven be at {degrees} in {mode} mode?
! control the oven
get_plant_care(plant: string=plant, season?: "spring"|"summer"|"autumn"|"winter"=enum) - Get care tips for a plant.
? How do I look after {plant}?; Care tips for {plant}; My {plant} looks sad, what does it need?; In {season}, what should I do with {plant}?; What does {plant} need in {season}?; Tell me how to grow {plant}
= Little water, much light.; Cut it back once a month.
! give plant care tips
schedule_mowing(day: string=date, start?: string=clock) - Schedule the lawn mower.
? Mow the lawn on {day}; The grass is long, mow it on {day} at {start}; Lawn mower on {day}, {start}; Have the lawn cut on {day}; At {start} on {day} the mower should go; Schedule mowing for {day}
! mow the lawn
arm_alarm_system(mode: "home"|"away"|"night"=enum, pin?: string=pin) - Arm the burglar alarm.
? Arm the alarm in {mode} mode; We are leaving, alarm to {mode}; Set the burglar alarm to {mode} with pin {pin}; House alarm: {mode}; Pin {pin}, arm the alarm for {mode}; Turn on the alarm system, {mode}
! control the alarm
show_camera(camera: string=garden, screen?: string=device) - Show a security camera.
? Show me the {camera} camera; What's going on at the {camera}?; Put the {camera} camera on the {screen}; Let me see the {camera}; Camera {camera} on {screen} please; I heard a noise at the {camera}, show the camera
= Streaming.
! watch cameras
set_fan_speed(room: string=room, speed: integer=small) - Set the speed of a fan.
? Fan in the {room} to speed {speed}; It's stuffy in the {room}, fan on {speed}; Set the {room} fan to {speed}; Speed {speed} for the fan in the {room}; Let the {room} fan turn at {speed}; Make the fan in the {room} go at {speed}
! control fans
report_repair(item: string=appliance, problem: string=text, room?: string=room) - Report something broken to the landlord.
? The {item} in the {room} is broken, report '{problem}'; Report the {item} to the landlord: {problem}; Tell the landlord about the {item}: "{problem}"; Our {item} is defect, file the repair "{problem}"; File a repair for the {item}, {room}, '{problem}'; Repair needed for the {item}: {problem}
! report repairs
add_pantry_item(item: string=product, amount: number=posnum, unit?: "kg"|"g"|"l"|"pieces"=enum) - Add food to the pantry list.
? Put {amount} {unit} of {item} on the pantry list; I bought {item}, {amount} {unit}, note it for the pantry; Pantry: {item}, {amount}; Add {amount} {item} to the pantry; We now have {amount} {unit} {item} in the pantry; Stock the pantry with {amount} {unit} of {item}
! keep a pantry list
get_calories(food: string=dish, grams?: number=posnum) - Look up the calories of a food.
? How many calories are in {food}?; Calories of {grams} grams of {food}; Is {food} fattening? Show its calories; {grams} g {food}, how many calories?; Look up the calories for {food}; If I eat {grams} grams of {food}, how many calories is that?
= 250 kcal; 87 kcal
! look up calories
scale_recipe(recipe: string=dish, servings: integer=small) - Scale a recipe to a number of servings.
? Scale {recipe} to {servings} servings; I'm cooking {recipe} for {servings} people; {recipe} for {servings}, scale the recipe; How much of everything do I need for {servings} portions of {recipe}?; {servings} guests want {recipe}, adapt the recipe; Recipe of {recipe} with {servings} servings
= 400 g flour, 2 eggs; Scaled.
! scale recipes
plan_meals(days: integer=small, diet?: "vegan"|"vegetarian"|"keto"|"paleo"=enum, avoid?: string[]=products) - Plan meals for some days.
? Plan meals for {days} days; I need a {diet} meal plan for {days} days; What should we eat in the next {days} days without {avoid}?; Meal plan, {days} days, {diet}; Make a {days} day plan without {avoid}; {diet} food for {days} days, please plan it and leave out {avoid}
= Day 1: soup.
! plan meals and recipes
brew_tea(kind: "green"|"black"|"mint"|"herbal"=enum, cups: integer=small) - Brew tea.
? Brew {cups} cups of {kind} tea; I'm thirsty, {kind} tea, {cups} cups; {cups} {kind} teas please; Make {kind} tea for {cups}; We'd like {kind} tea, {cups} cups; Put on {cups} cups of {kind} tea
! make tea and coffee
order_groceries(items: string[]=products, delivery_date?: string=date, store?: string=shop) - Order groceries.
? Order {items}; We are out of {items}, get some delivered; Have {items} delivered on {delivery_date}; Buy {items} at {store}; From {store} I need {items} on {delivery_date}; Groceries for {delivery_date}: {items}; My fridge is empty, order {items} from {store}
! order groceries and shop online
find_flights(origin: string=city, destination: string=city, date?: string=date, max_price?: number=price) - Find flights.
? Flights from {origin} to {destination}; I want to fly to {destination} from {origin} on {date}; Find a flight {origin} to {destination} under {max_price}; When can I fly from {origin} to {destination}?; On {date} I have to be in {destination}, flying from {origin}; {origin} - {destination}, {date}, at most {max_price}, which flights are there?
= 2 flights: 8:10, 17:45; No flights.
! find flights and book flights
book_train(from_station: string=city, to_station: string=city, time?: string=moment, seat_class?: "first"|"second"=enum) - Book a train ticket.
? Book a train from {from_station} to {to_station}; Train ticket to {to_station} from {from_station} at {time}; I need to go by train from {from_station} to {to_station}, {seat_class} class; Get me a {seat_class} class seat from {from_station} to {to_station} at {time}; {from_station} to {to_station} by train, {time}; Reserve the {time} train between {from_station} and {to_station}
! book train tickets
rent_car(city: string=city, days: integer=small, category?: "small"|"family"|"van"|"luxury"=enum) - Rent a car.
? Rent a car in {city} for {days} days; I need a {category} car in {city}, {days} days; For {days} days in {city} I want a rental car; Hire a {category} car for {days} days in {city}; Car rental {city}, {days} days; Once I land in {city} I need wheels for {days} days
! rent a car
call_taxi(pickup: string=address, destination?: string=address, passengers?: integer=small) - Order a taxi.
? Order a taxi to {pickup}; Taxi from {pickup} to {destination}; Pick us up at {pickup}, {passengers} people; I'm at {pickup} and need a cab to {destination}; Send a cab for {passengers} to {pickup}; Get a taxi for {passengers} passengers at {pickup} going to {destination}
! order and call a taxi
check_visa(nationality: string=country, destination: string=country) - Check whether a visa is needed.
? Do people from {nationality} need a visa for {destination}?; I have a passport from {nationality}, do I need a visa for {destination}?; Visa rules for {destination}, citizen of {nationality}; Can someone from {nationality} enter {destination} without a visa?; Going to {destination} with a passport from {nationality}: visa?; Check the visa for {nationality} to {destination}
= No visa needed.; A visa is needed.
! check visa rules
flight_status(flight_number: string=flight) - Get the status of a flight.
? Is {flight_number} on time?; Status of flight {flight_number}; When does {flight_number} land?; Has {flight_number} taken off?; My sister sits in {flight_number}, where is it?; Check {flight_number}, is the flight delayed?
= On time.; Delayed by 40 minutes.
! check flights
find_campsite(region: string=country, nights: integer=small, pets?: boolean=bool) - Find a campsite.
? Find a campsite in {region} for {nights} nights; We want to camp {nights} nights in {region}; Camping in {region}, {nights} nights, with our dog{pets=true}; Where can we pitch a tent for {nights} nights in {region}?; {nights} nights of camping, {region}, pets {pets}; A campsite in {region} for {nights} nights, no pets{pets=false}
= Lake Camp; Green Valley
! find campsites
pack_list(destination: string=city, days: integer=small, activities?: string[]=sports) - Make a packing list.
? What should I pack for {days} days in {destination}?; Packing list for {destination}, {days} days; I travel to {destination} for {days} days to do {activities}, what do I pack?; Make me a packing list: {days} days, {destination}; {days} days of {activities} in {destination}, what goes into the suitcase?
= Shirts, socks, jacket.
! make packing lists
fuel_price(city: string=city, fuel: "diesel"|"petrol"|"electric"=enum) - Get the fuel price in a city.
? What does {fuel} cost in {city}?; {fuel} price in {city}; How expensive is {fuel} around {city} now?; In {city}, what do I pay for {fuel}?; My tank is empty, what is {fuel} in {city}?; Price of {fuel}, {city}
= 1.74; 1.62 per litre
! look up fuel prices
find_parking(place: string=city, hours?: number=small, max_price?: number=price) - Find a parking place.
? Where can I park in {place}?; Parking in {place} for {hours} hours; I need to leave the car in {place} for {hours} hours, at most {max_price}; Find parking near {place}; A parking space in {place} under {max_price}; For {hours} hours I want to park in {place}
= Garage 3, 40 spaces free.
! find parking places for a car
service_car(plate: string=plate, date: string=date, work?: "oil"|"tyres"|"brakes"|"inspection"=enum) - Book a garage appointment for a car.
? Book a service for {plate} on {date}; My car {plate} needs {work} on {date}; Bring {plate} to the garage on {date}; On {date} the {work} of {plate} must be done; {plate}, {work}, {date}: book the garage; The garage should look at {plate} on {date}
! book car services
lock_car(plate: string=plate, flash?: boolean=bool) - Lock a car remotely.
? Lock the car {plate}; Did I lock {plate}? Do it now; Lock {plate} and flash the lights{flash=true}; Lock {plate} without flashing{flash=false}; Close up my car {plate}; {plate} must be locked, flash {flash}
! lock a car
tire_pressure(car: string=plate) - Read the tyre pressure of a car.
? What's the tyre pressure of {car}?; Tyre pressure for {car}; Do the tyres of {car} need air?; Check the pressure in the tyres of {car}; {car}: are the tyres okay?
= 2.3 bar
! check tyres of a car
start_charging(station: string=code, limit_percent?: integer=percent) - Start charging an electric car.
? Charge my car at {station}; Start charging at {station} up to {limit_percent} percent; Plugged in at {station}, go; Station {station}: charge to {limit_percent}%; I only need {limit_percent} percent from charger {station}; Begin to charge at station {station}
! charge an electric car
find_product(query: string=product, max_price?: number=price, brand?: string=brand) - Find products in the shop.
? Show me {query}; I'm looking for {query} under {max_price}; Do you sell {query} by {brand}?; {query} from {brand}, not more than {max_price}; Which {query} do you have?; Is there any {query} for less than {max_price}?; I need new {query}
= 3 found.; Nothing found.
! find products in the online shop
apply_coupon(code: string=upper) - Apply a coupon code to the cart.
? Use the coupon {code}; I have a discount code: {code}; Apply {code} to my cart; {code} is my voucher, redeem it; Does the coupon {code} work?; Take off the discount of {code}
! use coupons
return_item(order_number: string=code, reason?: string=text) - Return an ordered item.
? I want to return {order_number}; Send back order {order_number} because '{reason}'; Return {order_number}: {reason}; {order_number} should go back to you; Start a return for {order_number}, reason "{reason}"; The order {order_number} was not what I wanted, take it back
! return orders
write_review(product: string=product, stars: integer=stars, text?: string=text) - Write a product review.
? Give the {product} {stars} stars; {stars} stars for the {product}; Review the {product} with {stars} stars: {text}; I'd rate the {product} {stars} out of 5, saying '{text}'; The {product} deserves {stars} stars; My opinion of the {product}: {stars} stars, "{text}"
! write reviews
compare_prices(product: string=product, shops?: string[]=shops) - Compare the price of a product between shops.
? Where is {product} cheapest?; Compare the price of {product}; Compare {product} at {shops}; What do {shops} charge for {product}?; {product}: who is cheaper, {shops}?; Find the best price for {product}
= 12.99 at the first shop.
! compare prices
track_order(order_id: integer=big) - Track an order by its number.
? Where is my order {order_id}?; Has order {order_id} been sent?; Track order no. {order_id}; I'm waiting for order {order_id}; Order {order_id}, when does it come?; Status of order number {order_id} please
= On its way.; Delivered.
! track orders and parcels
subscribe_newsletter(email: string=email, topics?: string[]=wordlist) - Subscribe an address to the newsletter.
? Subscribe {email} to the newsletter; Put {email} on the newsletter list; {email} wants the newsletter about {topics}; Send the newsletter on {topics} to {email} from now on; Newsletter for {email} please; Sign {email} up for the newsletter
! manage subscriptions to newsletters
log_weight(kilograms: number=weight, date?: string=date) - Log the body weight.
? I weigh {kilograms} kilos; Log {kilograms} kg; My weight on {date} was {kilograms} kg; The scale says {kilograms}, write my weight down; {kilograms} kg on {date}; Body weight: {kilograms}
! log weight and track health
log_blood_pressure(systolic: integer=systolic, diastolic: integer=diastolic, note?: string=text) - Log a blood pressure reading.
? My blood pressure is {systolic} over {diastolic}; Blood pressure {systolic}/{diastolic}; Log {systolic} over {diastolic} with the note '{note}'; I measured {systolic} to {diastolic}; Record a blood pressure of {systolic} and {diastolic}; Pressure reading: {systolic}, {diastolic}
! log blood pressure and track health
remind_medicine(medicine: string=medicine, time: string=moment, dose?: string=dose) - Set a reminder to take medicine.
? Remind me to take {medicine} at {time}; At {time} I must take {medicine}; {medicine}, {dose}, at {time} every day; I need {dose} of {medicine} at {time}, remind me; Don't let me forget {medicine} at {time}; Medicine reminder: {medicine} {dose} {time}
! set reminders for medicine
book_doctor(specialty: "dentist"|"dermatologist"|"cardiologist"|"optician"=enum, date: string=date, time?: string=clock) - Book a doctor's appointment.
? Book an appointment with a {specialty} on {date}; I need to see the {specialty} on {date} at {time}; Appointment with the {specialty}, {date}; On {date} get me in with the {specialty}; {specialty} on {date}, {time} please; Can I come to the {specialty} on {date}?
! book a doctor
calculate_bmi(height_cm: number=height, weight_kg: number=weight) - Work out the body mass index.
? What's my BMI at {height_cm} cm and {weight_kg} kg?; I'm {height_cm} cm tall and weigh {weight_kg} kg, what is my BMI?; BMI for {weight_kg} kg and {height_cm} cm; With {weight_kg} kilos at {height_cm} centimetres, what's the BMI?; Body mass index: {height_cm} cm, {weight_kg} kg
= 23.4
! work out the bmi
log_sleep(hours: number=hours, quality?: "good"|"fair"|"bad"=enum) - Log last night's sleep.
? I slept {hours} hours; Log {hours} hours of sleep; Last night was {quality}, {hours} hours of sleep; {hours} hours, {quality} sleep; Write down that I slept {hours} hours and it was {quality}; Sleep: {hours} h
! log sleep and track health
log_water(milliliters: integer=big) - Log how much water was drunk.
? I drank {milliliters} ml; Log {milliliters} ml of water; Just had {milliliters} millilitres of water; Add {milliliters} ml to my water intake; {milliliters} ml water drunk
! log water and track health
start_exercise(exercise: string=exercise, sets: integer=small, reps: integer=minutes, weight_kg?: number=weight) - Start a strength exercise.
? Start {sets} sets of {reps} {exercise}; {exercise}: {sets} sets, {reps} reps; I'll do {exercise} with {weight_kg} kg, {sets} sets of {reps}; {reps} reps of {exercise} in {sets} sets; Let me train {exercise}, {sets} times {reps}; With {weight_kg} kilos, {sets} sets and {reps} reps of {exercise}
! start exercises
get_match_result(team: string=team, date?: string=date) - Get the result of a team's match.
? How did {team} play?; Did {team} win on {date}?; Result of {team}; What was the score of {team} on {date}?; {team} on {date}, who won?; Tell me if {team} lost
= 2:1; 0:0
! look up sport results
league_table(league: string=word, season?: integer=year) - Show a league table.
? Show the table of the {league} league; Who leads the {league} league?; Table of the {league} league in {season}; In {season}, how did the {league} league end?; {league} league standings; Standings {season}, {league} league
= 1. Rovers 45
! look up league standings
book_court(sport: "tennis"|"squash"|"badminton"|"padel"=enum, date: string=date, start: string=clock, hours?: number=small) - Book a sports court.
? Book a {sport} court on {date} at {start}; We want to play {sport} on {date}, {start}, for {hours} hours; {sport} court, {date} {start}; Is there a {sport} court on {date} at {start}? Take it; At {start} on {date}: {sport} for {hours} hours; Reserve {sport} for {date} from {start}
! book courts
plan_run(distance_km: number=posnum, city?: string=city, hilly?: boolean=bool) - Plan a running route.
? Plan a run of {distance_km} km; I want to run {distance_km} km in {city}; A {distance_km} kilometre route through {city}; {distance_km} km around {city}, with hills{hilly=true}; Find me a flat route of {distance_km} km{hilly=false}; In {city}, where can I jog {distance_km} km?
= Loop along the river.
! plan running routes
find_vet(city: string=city, animal?: string=animal, emergency?: boolean=bool) - Find a vet.
? Find a vet in {city}; My {animal} is ill, which vet is in {city}?; Vet for a {animal} in {city}; It's an emergency{emergency=true}, I need a vet in {city}; Is there an animal doctor in {city}?; In {city}, who treats a {animal}?
= Dr. Lang
! find a vet to care for pets
book_haircut(salon: string=title, date: string=date, time?: string=moment) - Book a haircut.
? Book a haircut at {salon} on {date}; My hair is too long, {salon} on {date}; Hairdresser {salon}, {date}, {time}; Get me a haircut on {date} at {salon} for {time}; {date} I'd like a haircut at {salon}
! book a haircut
"""
